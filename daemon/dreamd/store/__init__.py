"""The store: one SQLite file that decides. The only room that knows SQL."""
