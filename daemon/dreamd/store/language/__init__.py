"""What concerns a language model: what it was asked, what that used, and what came of its word."""
