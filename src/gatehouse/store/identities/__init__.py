"""Authoritative identity records: sealed, looked up, imported and erased."""
