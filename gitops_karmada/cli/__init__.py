"""The command line: one file a verb; the one place that reads the environment and builds worlds."""
