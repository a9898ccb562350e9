"""The HTTP API: envelope, authentication, validation, limits, the v1 routes and their docs."""
