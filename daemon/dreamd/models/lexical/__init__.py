"""Word-for-word English for other languages."""
