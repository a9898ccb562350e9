"""Commands about identity records."""
