"""Searching decisions and reviews by what they were about and what became of them."""
