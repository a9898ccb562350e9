"""The reference host: the sandbox's parties behind real sockets, for trying connectors."""
