"""PreCheck: asks the issuer about a card and turns its answer into advice. Never stores a card."""
