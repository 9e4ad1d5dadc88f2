"""Two texts side by side."""
