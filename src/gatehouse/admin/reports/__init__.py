"""What became of the orders of a month, on one page."""
