"""Money of accounts."""
