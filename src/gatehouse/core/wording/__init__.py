"""Sentences as codes with values, and how they are written."""
