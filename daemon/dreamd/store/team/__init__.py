"""The store of a team: the same functions on PostgreSQL. Nothing here is imported where one machine keeps its own."""
