"""What a dream and its memories are asked about, read from the store for whoever shows it."""
