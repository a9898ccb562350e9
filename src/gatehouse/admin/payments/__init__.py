"""Payments whose end at the gateway was not known; they are reversed."""
