"""The member clusters: what is there, and doing there what the core decided."""
