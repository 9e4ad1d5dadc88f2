"""Who may come in: the keys of one start, and the door every request passes."""
