"""What dream knows by a name or a number, in words for people."""
