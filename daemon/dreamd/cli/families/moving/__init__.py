"""Moving in and out of a home: `dream export`, `dream import`."""
