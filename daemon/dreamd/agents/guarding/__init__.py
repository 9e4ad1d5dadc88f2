"""Secrets and injected orders where they do not belong: in directories that are not ours, and in what an older dream kept."""
