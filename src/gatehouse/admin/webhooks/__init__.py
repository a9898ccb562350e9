"""Webhooks: the use cases of accounts, and the delivery of messages."""
