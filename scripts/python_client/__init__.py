"""Writes what the Python client has of our OpenAPI document: its structs and its methods."""
