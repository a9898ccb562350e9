"""A past for the sandbox's demo account: made-up customers, sent through the real engine."""
