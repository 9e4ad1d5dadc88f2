"""Repositories: which one a directory belongs to, and asking git about it without running anything of its own."""
