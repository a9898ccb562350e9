"""The documentation as pages: the reference of the API, the guides, and their search."""
