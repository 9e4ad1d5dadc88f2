"""Claude Code: session transcripts and memory directories."""
