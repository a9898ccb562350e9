"""Pipelines: which stages a request goes through, and how one is tried."""
