"""A memory that several people share: who may decide, what goes up to it, what comes down."""
