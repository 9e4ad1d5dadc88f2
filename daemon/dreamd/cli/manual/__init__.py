"""What `dream help` tells: the everyday commands, all of them by family, topics at length, and man pages of the same texts."""
