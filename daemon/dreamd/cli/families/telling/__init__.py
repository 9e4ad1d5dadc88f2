"""What dream tells a person of itself: the diary, and the words a shell completes."""
