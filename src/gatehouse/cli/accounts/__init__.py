"""Commands about accounts: keys, prices, balances, the ledger."""
