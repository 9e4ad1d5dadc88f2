"""The commands, family by family."""
