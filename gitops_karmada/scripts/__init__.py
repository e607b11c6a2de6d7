"""Other people's code: Lua in a process of its own, and webhooks. None of it runs in ours or outlasts its deadline."""
