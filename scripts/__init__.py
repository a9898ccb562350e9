"""Commands for people who work on Gatehouse itself."""
