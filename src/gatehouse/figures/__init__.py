"""Decisions in columns, and the copy of an account's for figures over any range.

The process of the console keeps the copy beside the database, follows what is decided, and can
always make it again. A server that answers requests imports neither this room nor DuckDB.
"""
