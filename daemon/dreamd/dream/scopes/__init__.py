"""Scopes: which one a place has, what an older dream left, and what a person moves."""
