"""Requests over real connectors to hosts that misbehave and are restarted, and what must hold."""
