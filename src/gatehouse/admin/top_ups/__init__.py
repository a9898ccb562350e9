"""Top-ups by card: a page of the installation's own gateway, and what became of it."""
