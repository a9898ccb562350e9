"""Commands about Sentry: its models, training, replays and address data."""
