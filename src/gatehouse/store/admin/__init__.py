"""How use cases change the data: one locked, audited transaction at a time."""
