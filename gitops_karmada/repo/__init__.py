"""The federation repository: what Git says, and what we write back to its status branch."""
