"""What a person chose, where they wrote it: lines of their settings file, variables of their environment."""
