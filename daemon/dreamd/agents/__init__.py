"""The agents' side: their hooks, their own memory directories, what they are told, and how they ask."""
