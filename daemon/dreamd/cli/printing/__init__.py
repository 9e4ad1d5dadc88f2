"""What the command line prints: documents for programs, text for people."""
