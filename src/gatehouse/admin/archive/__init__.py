"""Decisions kept in files for years, and backtests over them."""
