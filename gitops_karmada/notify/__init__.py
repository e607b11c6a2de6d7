"""People: who hears of a turn, and how."""
