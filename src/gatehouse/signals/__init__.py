"""Describes one request in the signals that rules can name.

The only room that knows the inputs of all stages at once. It asks the address book and the memory
once for all of them, so that Rules and Sentry see the same request and nothing is counted twice.
"""
