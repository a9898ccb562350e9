"""How people change the data: one locked, audited transaction at a time."""
