"""Whether the store is there, and what takes its place."""
