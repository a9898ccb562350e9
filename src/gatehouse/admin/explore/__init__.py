"""Explore: decisions in groups by any signal, or by two at once."""
