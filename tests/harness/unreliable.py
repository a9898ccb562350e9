"""A proxy that loses answers, so that clients have to send their requests again."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Final

from tests.harness.waiting import PATIENCE_S

_MOST: Final = 1 << 20
Trouble = Callable[[socket.socket, bytes], bool]
"""Gets the client's connection and the server's answer; true if it has dealt with it."""


def lose(connection: socket.socket, _answer: bytes) -> bool:
    """The server has answered, and nobody hears it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    return True


def cut(connection: socket.socket, answer: bytes) -> bool:
    """The connection ends in the middle of the answer."""
    connection.sendall(answer[: len(answer) // 2])
    return True


def instead(status: str, *headers: str, body: str = "") -> Trouble:
    """Something on the way answers in place of the server."""

    def answer(connection: socket.socket, _answer: bytes) -> bool:
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
        connection.sendall(("\r\n".join([*head, "", body])).encode())
        return True

    return answer


class Unreliable:
    """Passes one request per connection to the server; the first answers meet trouble."""

    def __init__(self, port: int, *troubles: Trouble) -> None:
        self._to, self.troubles = port, list(troubles)
        self.requests: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(PATIENCE_S)
                with connection:
                    self._pass_on(connection)

    def _pass_on(self, connection: socket.socket) -> None:
        request = _message(connection)
        if not request:
            return
        self.requests.append(request)
        with socket.create_connection(("127.0.0.1", self._to), PATIENCE_S) as server:
            server.sendall(request)
            answer = _message(server)
        trouble = self.troubles.pop(0) if self.troubles else None
        if trouble is None or not trouble(connection, answer):
            connection.sendall(answer)

    def headers(self, name: str) -> list[str]:
        """The values of a header in all requests."""
        lines = [line for one in self.requests for line in one.split(b"\r\n\r\n")[0].split(b"\r\n")]
        pairs = [line.decode().partition(": ") for line in lines]
        return [value for found, _, value in pairs if found.lower() == name.lower()]

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _message(connection: socket.socket) -> bytes:
    """One whole message of HTTP with a length."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(_MOST)
        if not part:
            return received
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += connection.recv(_MOST)
    return head + b"\r\n\r\n" + body


@contextlib.contextmanager
def unreliable(port: int, *troubles: Trouble) -> Iterator[Unreliable]:
    """The proxy, running."""
    proxy = Unreliable(port, *troubles)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join(PATIENCE_S)
