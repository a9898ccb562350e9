"""The events that accounts are told of, in the order of their commits."""
