"""How connections are served: the protocol, its limits, and several processes on one port."""
