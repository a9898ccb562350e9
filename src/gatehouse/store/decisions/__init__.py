"""Decision records and the reviews that some of them wait for."""
