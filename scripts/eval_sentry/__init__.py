"""Measures Sentry's learning on labelled data that are not part of this repository."""
