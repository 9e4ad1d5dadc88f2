"""What a text is made of, once for everybody: tokens, quantities, dates, identifiers, negation, secrets, injected orders."""
