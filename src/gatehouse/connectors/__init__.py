"""Connectors: implementations of the ports that reach outside parties."""
