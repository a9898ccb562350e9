"""Makes up the past of the demo account, and records it."""
