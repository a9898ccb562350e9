"""A running server, and the clients that call it."""

import contextlib
import functools
import http.client
import json
import re
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from gatehouse.core.subject import written_out_first
from tests.forkserver import Fork
from tests.harness.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from tests.harness.home import Home


def free_port() -> int:
    """A port for a server that binds it soon.

    A connection that the listening side closed first rests on the port for a minute. Meanwhile
    the system gives it to nobody who asks for any port, and servers can bind it all the same.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            listener.accept()[0].close()
    return port


@functools.cache
def _listed() -> list[tuple[re.Pattern[str], dict[str, dict[str, Any]]]]:
    """The paths of the API, each with the answers that its methods can give, by their status."""
    from tests.web.test_openapi import DOCUMENT

    return [
        (
            re.compile(re.sub(r"\{\w+\}", "[^/]+", path)),
            {method.upper(): one["responses"] for method, one in methods.items()},
        )
        for path, methods in sorted(
            DOCUMENT["paths"].items(), key=lambda each: written_out_first(each[0])
        )
    ]


def check_listed(answer: httpx.Response) -> None:
    """Fail where an answer has a status or code that is not described for its operation."""
    request = answer.request
    path = request.url.path
    if path.startswith("/api/"):
        methods = next((known for one, known in _listed() if one.fullmatch(path)), {})
        described = methods.get(request.method)
        if described is None:
            return
        status = str(answer.status_code)
        assert status in described, f"{request.method} {path}: {status}"
        if status[0] in "45":
            code = json.loads(answer.read())["errors"]["code"]
            assert f"`{code}`" in described[status]["description"], (
                f"{request.method} {path}: {code}"
            )


@dataclass
class Server:
    """A running server."""

    port: int
    process: "Fork | subprocess.Popen[bytes]"
    home: "Home"

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait(self) -> None:
        """Wait until it is ready to serve."""
        ends_at = time.monotonic() + PATIENCE_S
        while not self._is_ready():
            assert self.process.poll() is None, f"the server ended: {self.log()[-2000:]}"
            assert time.monotonic() < ends_at, f"it did not get ready: {self.log()[-2000:]}"
            time.sleep(0.01)

    def _is_ready(self) -> bool:
        # Asked many times at every start, and a client of the other kind takes far longer to make.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with (
            contextlib.suppress(OSError, http.client.HTTPException),
            contextlib.closing(connection),
        ):
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        return False

    def wait_for_memory(self) -> None:
        """Wait until what was recorded earlier is remembered."""
        address = f"{self.base}/readyz"
        until(
            lambda: httpx.get(address, verify=False, timeout=PATIENCE_S).json()["checks"]["memory"]
        )

    def log(self) -> str:
        return (self.home.path / "server.log").read_text()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """A client that sends the key and checks nothing by itself."""
        given = {"X-API-KEY": key} if key else {}
        return httpx.Client(
            base_url=self.base,
            headers={**given, **headers},
            timeout=PATIENCE_S,
            verify=False,
            event_hooks={"response": [check_listed]},
        )

    def raw(self, data: bytes, *, timeout: float = PATIENCE_S, half_close: bool = False) -> bytes:
        """Send bytes as they are and return all that comes back until the end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as connection:
            connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            received = b""
            with contextlib.suppress(TimeoutError, ConnectionResetError):
                while part := connection.recv(65536):
                    received += part
            return received
