"""Notes of agents other than Claude Code."""
