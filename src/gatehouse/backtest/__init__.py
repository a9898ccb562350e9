"""Runs rule sets over what was recorded, and hands the records to other tools.

Only the command line comes here: a running server never imports this room, nor DuckDB.
"""
