"""Counting decisions in groups, at once or by a job."""
