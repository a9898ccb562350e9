"""Accounts: merchants and payment providers, what holds for each, and how they are closed."""
