"""The library: documents that a person gave dream to look things up in, in a file of their own beside the store."""
