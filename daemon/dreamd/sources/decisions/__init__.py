"""Records of decisions that a repository keeps beside its code."""
