"""Webhooks: endpoints, messages that wait, and attempts."""
