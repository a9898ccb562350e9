"""Writes a new subject of the administration, which works: see `__main__`."""
