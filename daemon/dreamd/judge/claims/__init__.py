"""One claim in several wordings."""
