"""Renders the API reference that ships with the package, from the OpenAPI document."""
