"""Takes a port, or says that somebody else has it."""

import socket

from gatehouse.core.errors import Conflict


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Bind the port; `Conflict` when it is taken.

    A `shared` one can be bound several times by one user, and the system spreads the connections.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
    except OSError as error:
        raise Conflict(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return listener
