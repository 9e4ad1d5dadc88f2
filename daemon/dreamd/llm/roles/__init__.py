"""What a language model is asked, and how its answers are read: a role builds an ask, reads an answer, and changes nothing."""
