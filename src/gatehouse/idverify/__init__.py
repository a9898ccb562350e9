"""ID Verify: compares a cardholder's name, contacts and identifiers with authoritative records."""
