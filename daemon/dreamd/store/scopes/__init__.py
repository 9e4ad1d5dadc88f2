"""What the store knows of scopes: what projects are known by, and what crosses."""
