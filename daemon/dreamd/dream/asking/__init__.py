"""Where a dream asks a language model, if there is one: never within a write, and never for what only the guards may decide."""
