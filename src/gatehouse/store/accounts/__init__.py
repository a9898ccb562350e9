"""Accounts, their keys and their money."""
