"""Commands for what is known beside memories."""
