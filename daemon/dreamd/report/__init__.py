"""What dream did and how memory stands, for people: nights in sentences, and pictures as SVG, made from the journal alone."""
