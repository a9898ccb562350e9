"""Sentry's memory: rebuilt from the decisions, kept up to date, checked."""
