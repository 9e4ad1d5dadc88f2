"""Signs that two statements cannot both hold."""
