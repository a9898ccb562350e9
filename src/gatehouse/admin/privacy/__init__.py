"""The rights of a person, and how long data is kept."""
