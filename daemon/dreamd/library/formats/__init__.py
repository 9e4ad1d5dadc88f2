"""How the text of a document is got out of its file."""
