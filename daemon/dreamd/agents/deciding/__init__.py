"""What a person decides, whole: through every place the words went, whoever asks for it."""
