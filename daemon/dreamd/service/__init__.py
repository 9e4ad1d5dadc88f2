"""The service: decides when to dream, runs each dream in a child of its own, and steps out of everyone's way."""
