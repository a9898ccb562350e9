"""Finds the custom inputs that are worth remembering: what they look like, and what was found."""
