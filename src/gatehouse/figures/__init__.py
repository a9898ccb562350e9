"""A copy of an account's decisions in columns, for figures over any range.

The process of the console keeps it beside the database, follows what is decided, and can always
make it again. A server that answers requests never imports this room, nor DuckDB.
"""
