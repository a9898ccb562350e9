"""The console: pages for people, rendered on the server over the use cases of the administration.

It holds no SQL and decides nothing about payments. It runs as a process of its own, so that a page
never delays a request of the API.
"""
