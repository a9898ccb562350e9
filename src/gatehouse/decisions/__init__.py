"""The decision record: what a processed request leaves, written by the engine, read by the rest.

`record` has the whole structure with its one writer and one reader. The other modules read parts
of a record, where whole ones would take too long.
"""
