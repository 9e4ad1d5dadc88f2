"""What the places are like that dream works in."""
