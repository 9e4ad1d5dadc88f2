"""One dream: its cycle, its plan, what it writes, and taking it back."""
