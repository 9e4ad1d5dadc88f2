"""Knowledge that is no talk: what is kept beside the memories, and read when somebody asks for it."""
