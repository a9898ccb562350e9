"""A port that a test is given stays free until its server binds it."""

import socket

import pytest

from gatehouse.core.listening import listen
from tests.harness import free_port


def test_a_free_port_is_kept_from_others_and_can_be_bound_by_a_server() -> None:
    port = free_port()
    # Whoever asks for any port gets one that could be bound like this.
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    for shared in (False, True):
        listen("127.0.0.1", port, shared=shared).close()
