"""dream consolidates the memory of AI agents while the machine is idle."""

__version__ = "0.1.0"
