"""The verbs: one file each, with a `command` that returns an exit code.

A verb's file imports only click and the light part of `cli`. What does the work is imported when the verb runs,
so that help and usage errors come at once.
"""
