"""What is told to dream directly: stored at once, or left in the inbox while the store is busy."""
