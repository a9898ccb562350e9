"""Live experiments: two rule sets or two models on random shares of the requests."""
