"""What the store can tell of its own past: counted from the journal, the fates and the calls, changing nothing."""
