"""Use cases of people and merchants' programs: every face calls these."""
