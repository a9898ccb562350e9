"""The report on a model."""
