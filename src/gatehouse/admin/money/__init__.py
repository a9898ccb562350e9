"""Prepaid balances, fees, the ledger and statements."""
