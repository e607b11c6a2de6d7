"""Real members for tests."""
