"""Commands that show what there is outside the terminal."""
