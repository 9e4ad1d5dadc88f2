"""Tasks: the layer between a conversation and its repository, in files that a person can read."""
