"""Months of settlements, reported frauds and disputes with a known truth, and forecasts of them."""
