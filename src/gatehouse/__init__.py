"""Gatehouse: fraud prevention and verification for card payments.

The rooms of this package are named after what the service does; ARCHITECTURE.md is the map.
"""

__version__ = "1.0.0"
