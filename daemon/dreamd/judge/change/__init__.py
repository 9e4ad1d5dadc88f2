"""Signs that a later statement takes the place of an earlier one."""
