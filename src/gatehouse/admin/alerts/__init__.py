"""Attacks, feasts and outages show themselves: what departs from an account's own normal."""
