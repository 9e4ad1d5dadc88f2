"""Asking the agent itself what should be remembered."""
