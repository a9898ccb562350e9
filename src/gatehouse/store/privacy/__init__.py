"""Retention and the rights of a person: what is deleted, and what is made anonymous."""
