"""The rule language: conditions over named signals, read from SQL, compiled to Python and to SQL.

Nothing here knows a request, an account or a database. What an author writes becomes a small tree
of known nodes (`nodes.py`) and nothing else.
"""
