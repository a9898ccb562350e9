"""Secrets: types that hide them, keys that seal them."""
