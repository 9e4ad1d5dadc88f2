"""What all sources have in common: the contract, reading behind a cursor, whose words they are."""
