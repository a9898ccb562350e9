"""Webhooks: what is signed, where it may be sent, and when it is tried again. All of it is pure."""
