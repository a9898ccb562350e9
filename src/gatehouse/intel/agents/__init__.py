"""User agents: which browser, device or program calls."""
