"""Finds: what a person captured to come back to, one note each in a folder of their choice, found like a document."""
