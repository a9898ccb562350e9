"""Advice on authentication: what an account says about it, and its rates of fraud."""
