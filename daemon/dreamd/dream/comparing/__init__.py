"""How well is found what was said: before a dream, after it, and with each part of it switched off."""
