"""Reference memory: documents cut into passages, asked for and never told unasked."""
