"""Use cases about the models that Sentry scores with."""
