"""The one migration tree, for both databases."""

HEAD = "0004"
"""The newest revision; a test compares it with the tree, so that start-up need not read it."""
