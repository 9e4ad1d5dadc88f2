"""May a dream start now: what is due, what is idle, what a person paused."""
