"""Card numbers: their type, brands, fingerprints, and how they are masked."""
