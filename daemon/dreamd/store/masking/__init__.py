"""What was kept before today's rules for secrets, looked through once more: rows, copies of the store, loose files."""
