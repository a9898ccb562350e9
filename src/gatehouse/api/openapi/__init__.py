"""The description of the API as an OpenAPI document, made from the types that validate requests."""
