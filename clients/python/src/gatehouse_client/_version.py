"""The version of this client."""

__version__ = "1.0.0"
