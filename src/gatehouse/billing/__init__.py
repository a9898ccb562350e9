"""Billing: the fee schedule, the ledger's decisions, statements. Pure; the store keeps the rows."""
