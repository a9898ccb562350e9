"""The management API: what a merchant can configure and look after, over HTTP.

One module per subject declares its endpoints. Routes and OpenAPI are made of the declarations.
"""
