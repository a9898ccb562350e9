"""Takes a port, or says that somebody else has it."""

import socket

from gatehouse.core.errors import Conflict


def listen(host: str, port: int) -> socket.socket:
    """Bind the port; `Conflict` when it is taken."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise Conflict(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return listener
