"""A language model where there is one: who is asked, what it may cost, and what it is asked for."""
