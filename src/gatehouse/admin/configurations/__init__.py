"""Versions of rule sets and pipelines: applied, listed, compared, rolled back."""
