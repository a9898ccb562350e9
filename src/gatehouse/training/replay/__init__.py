"""Recorded requests, replayed into examples."""
