"""What the strength tests share: bare HTTP over a socket, and a strict look at every envelope."""

import asyncio
import contextlib
import json
import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatehouse.api.problems import CODES
from tests.harness import PATIENCE_S, Home, Server
from tests.harness.commands import fork_command

PRECHECK = "/api/v1/precheck"
REQUEST_ID = re.compile(r"req_[0-7][0-9a-hjkmnp-tv-z]{25}")

_MONEY = {"currency", "amount"}
_BILLING = {"items", "remainingBalance", "amountAuthorized", "amountClosed"}
_COMMON = {"isSuccess", "errors", "billing", "requestId"}
# Words that only the inside of the service knows: module and class names, traces, addresses.
_INTERNALS = re.compile(
    r"Traceback|\bFile \"|\.py\b|\b[A-Z]\w*(?:Error|Exception)\b|\bat 0x[0-9a-f]{6}|<class"
    r"|NoneType|msgspec|uvicorn|starlette|httptools|sqlalchemy|psycopg|sqlite|gatehouse\.",
)


@dataclass
class Answer:
    """One answer as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The machine-readable word of a refusal."""
        errors = envelope(self.status, self.body)["errors"]
        return None if errors is None else str(errors["code"])


def request(
    body: bytes | None = None,
    headers: Mapping[str, str | bytes] | None = None,
    *,
    method: bytes = b"POST",
    path: bytes = PRECHECK.encode(),
    version: bytes = b"HTTP/1.1",
    close: bool = True,
) -> bytes:
    """The bytes of one request; `Content-Length` is added for a body."""
    lines = [method + b" " + path + b" " + version, b"Host: test"]
    for name, value in (headers or {}).items():
        text = value if isinstance(value, bytes) else value.encode()
        lines.append(name.encode() + b": " + text)
    if body is not None:
        lines.append(b"Content-Length: %d" % len(body))
    if close:
        lines.append(b"Connection: close")
    return b"\r\n".join([*lines, b"", b""]) + (body or b"")


def chunked(*parts: bytes) -> bytes:
    """A body in chunks, with its end."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])


def answers(received: bytes, *, bodiless: bool = False) -> list[Answer]:
    """Everything the server sent, cut into answers; half an answer is a failure."""
    found = []
    while received:
        head, separator, received = received.partition(b"\r\n\r\n")
        assert separator, f"half a head: {head[:200]!r}"
        status_line, *lines = head.decode("latin-1").split("\r\n")
        version, status, _ = status_line.split(" ", 2)
        assert version == "HTTP/1.1", status_line
        pairs = [line.partition(": ")[::2] for line in lines]
        headers = {name.lower(): value for name, value in pairs}
        bare = bodiless or int(status) < 200
        length = 0 if bare else int(headers["content-length"])
        assert len(received) >= length, f"half a body: {received[:200]!r}"
        found.append(Answer(int(status), headers, received[:length]))
        received = received[length:]
    return found


def read_answer(connection: socket.socket) -> Answer:
    """The next answer on a connection that stays open."""
    received = b""
    while True:
        head, separator, body = received.partition(b"\r\n\r\n")
        if separator:
            length = re.search(rb"(?i)content-length: (\d+)", head)
            if len(body) >= (int(length[1]) if length else 0):
                (answer,) = answers(received)
                return answer
        part = connection.recv(65536)
        assert part, f"the connection ended within an answer: {received[:200]!r}"
        received += part


def read_to_end(connection: socket.socket) -> bytes:
    """All that still comes; a reset after the last byte counts as an end."""
    received = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while part := connection.recv(65536):
            received += part
    return received


def start(home: Home, port: int, output: Path | None = None) -> Server:
    """The server as `Home.start` has it, looked for more lightly, its output elsewhere if wanted.

    Standard error, which is the log, always goes to `server.log` in the home.
    """
    home.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (home.path / "server.log").open("ab") as log, contextlib.ExitStack() as files:
        out = log if output is None else files.enter_context(output.open("ab"))
        process = fork_command(("serve", "--port", str(port)), home.environ(), out, log)
    server = Server(port, process, home)
    ends_at = time.monotonic() + PATIENCE_S
    while not _is_ready(port):
        assert process.poll() is None, f"the server ended: {server.log()[-2000:]}"
        assert time.monotonic() < ends_at, f"the server did not get ready: {server.log()[-2000:]}"
        time.sleep(0.02)
    return server


def _is_ready(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            connection.sendall(request(method=b"GET", path=b"/readyz"))
            return b" 200 OK" in read_to_end(connection)[:20]
    except OSError:
        return False


class Caller:
    """A caller with a connection of its own that it keeps open and opens again after a loss.

    An HTTP library's pool would be busier than the server when hundreds of them call at once.
    """

    def __init__(self, port: int, key: str, timeout: float = PATIENCE_S) -> None:
        self._port = port
        self._key = key
        self._timeout = timeout
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> "Caller":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Open the connection if there is none; raises `ConnectionError`."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)

    async def turn_to(self, port: int) -> None:
        """Call another server from now on, unless it is the same."""
        if port != self._port:
            await self.close()
            self._port = port

    async def post(
        self, body: Any, headers: Mapping[str, str] | None = None, path: str = PRECHECK
    ) -> Answer:
        """One call; `Lost` when the connection ended before the whole answer came."""
        await self.connect()
        assert self._streams is not None
        reader, writer = self._streams
        content = json.dumps(body).encode()
        sent = {"X-API-KEY": self._key, "Content-Type": "application/json", **(headers or {})}
        try:
            async with asyncio.timeout(self._timeout):
                writer.write(request(content, sent, path=path.encode(), close=False))
                await writer.drain()
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                assert length is not None, head
                received = head + await reader.readexactly(int(length[1]))
        except (ConnectionError, asyncio.IncompleteReadError):
            await self.close()
            raise Lost from None
        (answer,) = answers(received)
        return answer

    async def close(self) -> None:
        """Let the connection go."""
        if self._streams is not None:
            _, writer = self._streams
            self._streams = None
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


class Lost(Exception):
    """A request was sent, at least in part, and its answer did not come."""


def envelope(status: int, body: bytes | str) -> dict[str, Any]:
    """The envelope, after checking every field that the contract promises."""
    text = body.decode() if isinstance(body, bytes) else body
    leaked = _INTERNALS.search(text)
    assert leaked is None, f"{leaked and leaked.group()} in {text[:500]}"
    found: dict[str, Any] = json.loads(text)
    assert set(found) >= _COMMON, text
    own = set(found) - _COMMON - {"warnings"}
    for warning in found.get("warnings", ()):
        assert set(warning) == {"path", "message"}, text
    assert found.get("warnings") != [], text
    assert len(own) <= 1, text
    assert all(name.endswith("Response") for name in own), text
    assert REQUEST_ID.fullmatch(found["requestId"]), text
    if found["billing"] is not None:
        _check_billing(found["billing"])
    if found["isSuccess"] is True:
        assert status == 200, text
        assert found["errors"] is None, text
        assert found["billing"] is not None, text
        assert all(isinstance(found[name], dict) for name in own), text
    else:
        assert found["isSuccess"] is False, text
        _check_errors(status, found["errors"])
        assert all(found[name] is None for name in own), text
        if found["billing"] is not None:
            assert found["billing"]["items"] == [], text
            assert found["billing"]["amountClosed"]["amount"] == 0, text
    return found


def _check_errors(status: int, errors: Any) -> None:
    assert set(errors) == {"message", "code", "fieldErrors", "globalErrors"}, errors
    assert errors["code"] in CODES, errors
    assert status == CODES[errors["code"]].status, errors
    assert isinstance(errors["message"], str), errors
    assert errors["message"], errors
    assert isinstance(errors["fieldErrors"], dict), errors
    for messages in (*errors["fieldErrors"].values(), errors["globalErrors"]):
        assert isinstance(messages, list), errors
        assert all(isinstance(message, str) and message for message in messages), errors
    assert errors["fieldErrors"] or errors["globalErrors"], errors


def _check_billing(billing: Any) -> None:
    assert set(billing) == _BILLING, billing
    for name in _BILLING - {"items"}:
        assert set(billing[name]) == _MONEY, billing
        assert billing[name]["amount"] >= 0, billing
    assert billing["amountClosed"]["amount"] <= billing["amountAuthorized"]["amount"], billing
    for item in billing["items"]:
        assert set(item) == {"feeType", "fee", "completed"}, billing
        assert set(item["fee"]) == _MONEY, billing
