"""Moving in and out: what dream keeps goes into a file or a folder of a person's, and comes back from there, or from others."""
