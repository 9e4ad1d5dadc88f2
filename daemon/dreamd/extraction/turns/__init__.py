"""What one turn says in the light of the turn before it."""
