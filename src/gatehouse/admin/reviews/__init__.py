"""Decisions that a person is to look at: the queue, claims, resolutions."""
