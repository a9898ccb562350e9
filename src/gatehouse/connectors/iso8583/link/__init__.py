"""Connections to a host: framing, exchange, and a pool of them."""
