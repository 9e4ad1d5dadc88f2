"""What the probe looks at and how it judges it: the standard library alone, nothing of dream outside this room."""
