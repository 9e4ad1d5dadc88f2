"""Logs of programs: what was done, line by line, for a night to learn from many. No line is a statement."""
