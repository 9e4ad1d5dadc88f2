"""Letta."""
