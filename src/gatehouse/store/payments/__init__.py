"""Payments that stand, and what is done with them: captures, voids and refunds."""
