"""Every operation this server offers, whom each of them asks, and what accounts configured."""
