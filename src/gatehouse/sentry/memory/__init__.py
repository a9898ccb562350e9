"""What Sentry remembers of entities and accounts."""
