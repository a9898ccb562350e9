"""Decision records as Parquet files by account and day, and backtests and training over them.

Only the command line comes here: a running server never imports this room.
"""
