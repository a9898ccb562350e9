"""Webhooks: where an account is told of events, and the delivery of messages."""
