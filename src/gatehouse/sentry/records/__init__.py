"""What a decision records of Sentry."""
