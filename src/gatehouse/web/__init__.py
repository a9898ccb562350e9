"""The front door: envelope, authentication, validation, limits, the v1 routes and their docs."""
