"""What each view of the page shows, read from the store as values."""
