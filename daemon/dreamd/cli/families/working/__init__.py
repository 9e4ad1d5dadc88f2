"""Commands for a piece of work that goes on over many conversations."""
