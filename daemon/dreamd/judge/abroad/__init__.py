"""Statements in languages other than English."""
