"""Secrets by what proves them: a name that stands before them, a sum that only they pass, the way of a command."""
