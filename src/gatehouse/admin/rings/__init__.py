"""Rings: people who share cards, contacts, devices or addresses, directly or over others."""
