"""Workers of a team's store: its dreams as tasks of a queue on the same server. Only `dream worker` imports them."""
