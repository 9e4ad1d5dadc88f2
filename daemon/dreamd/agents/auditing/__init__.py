"""The audit: what pollutes a memory, whoever keeps it. It looks and tells; nothing is changed."""
