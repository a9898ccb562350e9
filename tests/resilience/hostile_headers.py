"""Requests whose headers nobody should send, seeded, and what a server answers to each.

`scripts/fuzz_headers.py` sends any number of them; a test sends a few hundred.
"""

import contextlib
import json
import random
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from typing import Final

import httpx

from gatehouse.access.keys import all_scopes
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.console.pages import Action
from gatehouse.console.routes import DECLARED
from tests.harness import BODY, PATIENCE_S, Home, Server, free_port, until
from tests.harness.commands import fork_command

FRAMING: Final = (
    *("Content-Length", "Transfer-Encoding", "Connection", "Expect", "Upgrade", "TE", "Trailer"),
    *("HTTP2-Settings", "Sec-WebSocket-Key", "Content-Encoding"),
)
"""With one of these wrong, a server may wait for more: so it is told that nothing more comes."""
NAMES: Final = (
    *("Host", "Origin", "Referer", "Cookie", "User-Agent", "Content-Type", "Prefer", "Range"),
    *("Accept", "Accept-Language", "Accept-Encoding", "Accept-Charset", "Authorization", "DNT"),
    *("If-Match", "If-None-Match", "If-Modified-Since", "If-Range", "Idempotency-Key", "Forwarded"),
    *("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Real-IP"),
    *("X-API-KEY", "X-Request-Id", "X-CSRF-Token", "X-HTTP-Method-Override", "traceparent"),
    *("tracestate", "baggage", "HX-Request", "HX-Request-Type", "HX-Target", "HX-Trigger"),
    *("HX-Current-URL", "HX-Boosted", "HX-Prompt", "HX-History-Restore-Request", "Via", "Date"),
    *("Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-CH-UA", "Cache-Control", "Pragma"),
    *("webhook-signature", "webhook-timestamp", "Keep-Alive", "Proxy-Connection", "Max-Forwards"),
)
ORDINARY: Final = (
    *(b"127.0.0.1", b"localhost:8081", b"http://127.0.0.1:8081", b"https://evil.test/a?b#c"),
    *(b"text/html", b"application/json", b"multipart/form-data; boundary=x", b"same-origin"),
    *(b"application/x-www-form-urlencoded", b"*/*;q=0.8", b"gzip, br;q=0", b"de-AT, en;q=0.5"),
    *(b'"3"', b'W/"3"', b"*", b"true", b"partial", b"close", b"100-continue", b"chunked", b"h2c"),
    *(b"bytes=0-99", b"handling=strict", b"for=[::1]:80;proto=https", b"203.0.113.9, 10.0.0.1"),
    *(b"00-" + b"a" * 32 + b"-" + b"b" * 16 + b"-01", b"Bearer abc", b"Basic Og==", b"websocket"),
    *(b"theme=dark; gatehouse-notice=7b7d", b"gatehouse-session=x; gatehouse-step=y", b"0", b"12"),
)
HOSTILE: Final = (
    *(b"", b" ", b"\t", b"[", b"]", b"[]", b"[::1", b"[::1]", b"[::1]x", b"[::1]:80", b"[v1.a]"),
    *(b"[fe80::1%25eth0]", b"//[", b"http://[", b"http://[::1", b"https://]", b"127.0.0.1:"),
    *(b"127.0.0.1:99999", b"127.0.0.1:-1", b"localhost:x", b"127.0.0.1/../x?y#z", b"u:p@127.0.0.1"),
    *(b"%", b"%zz", b"%00", b"%ff%fe", b"%0d%0aX-Evil: 1", b"%2e%2e%2f", b"\xff", b"\xfe\xff"),
    *(b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x9a\xaa", b"\xb2\xb3\xb9", b"\xd9\xa3", b"\xc0\xaf"),
    *(b"a\x00b", b"a\x01b", b"a\x0bb", b"a\x7fb", b"a\rb", b"a\nb", b"a\r\n b", b"a\x1b[31m"),
    *(b"-1", b"+1", b"0x10", b"1_0", b"1e999", b"NaN", b"-0", b"00012", b"9" * 30, b"9" * 4400),
    *(b"1, 1", b"1, 2", b'"', b"'", b'"\\', b"\\" * 3000, b'a="' + b"\\" * 3000, b"=", b";", b","),
    *(b"," * 9000, b";" * 9000, b"=;" * 4000, b"a=b;" * 3000, b"[" * 9000, b"(" * 3000, b"{{7*7}}"),
    *(
        b"text/html;q=1e309",
        b"text/html;q=-1",
        b"*/*;q=0.0.0",
        b"q=;;q",
        b"gzip;q=\xb2",
        b"en-" * 90,
    ),
    *(b"a" * 300, b"a" * 5000, b"a" * 15_000, b"a" * 17_000, b"a" * 70_000, b"a,b;q=0.1," * 900),
    *(b"bytes=-", b"bytes=5-1", b"bytes=" + b"0-1," * 900, b"chunked, chunked", b"chunked;x=1"),
    *(b"identity, chunked", b"xchunked", b"multipart/form-data", b"multipart/form-data; boundary="),
    *(b"multipart/form-data; boundary=" + b"x" * 900, b"application/json; charset=utf-7"),
    *(b"application/json; charset=\xff", b'W/"', b'"' + b"9" * 12 + b'"', b'"\xb2"', b"* , *"),
    *(b"for=" + b"_" * 900, b'for="[', b"for=unknown", b"::ffff:127.0.0.1", b"1.2.3.4:[", b"::%1"),
    *(
        b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-ff",
        b"../../etc/passwd",
        b"<script>",
        b"${jndi:x}",
    ),
    *(
        b"gatehouse-notice=" + b"7b" * 900,
        b"gatehouse-notice=zz",
        b"__Host-gatehouse=" + b"x" * 300,
    ),
    *(
        b"gatehouse-theme=\xff; gatehouse-account=\x80",
        b"gatehouse-step=%00",
        b"'; DROP TABLE x; --",
    ),
)


_JSON: Final = json.dumps(BODY).encode()


def _api_paths() -> list[tuple[str, str, bytes]]:
    """Each endpoint of management, as often as all the others together."""
    paths = [
        (one.method, re.sub(r"\{\w+\}", "x1", one.address), b"" if one.body is None else b"{}")
        for one in all_endpoints()
    ]
    pages = ("/", "/docs", "/docs/guides/api", "/docs/search.json", "/openapi.json", "/nowhere")
    others = ("/healthz", "/readyz", "/metrics", "/docs/x", "/api/v1/balance", "/api/v1/events")
    plain = [(method, path, b"") for path in (*pages, *others) for method in ("GET", "HEAD")]
    checks = ("precheck", "idverify", "sentry", "pipeline", "rules", "decisions/search")
    called = [("POST", f"/api/v1/{name}", _JSON) for name in (*checks, "notifications/x1", "x")]
    return [*paths, *((plain + called) * (len(paths) // 32))]


def _console_paths() -> list[tuple[str, str, bytes]]:
    """Each page and each form of the console, those for strangers a few times."""
    found = []
    for each in DECLARED:
        path = re.sub(r"\{\w+\}", "x1", each.path.replace("{account}", DEMO_ACCOUNT))
        is_form = isinstance(each, Action)
        one = ("POST", path, b"next=%2F&login=a%40b.example") if is_form else ("GET", path, b"")
        found += [one] * (12 if each.public else 1)
    return found + [("GET", "/static/console.css", b""), ("GET", "/nowhere", b"")] * 12


@dataclass(frozen=True)
class Target:
    """Where requests go, and what makes them reach as far as they can."""

    port: int
    known: Mapping[str, bytes]
    """Headers of a caller or a person who is known."""
    paths: Sequence[tuple[str, str, bytes]]
    """Method, path and body."""


@dataclass(frozen=True)
class Sent:
    """One request, and what came of it."""

    request: bytes
    status: int | None
    """None when the server closed without an answer."""

    @property
    def failed(self) -> bool:
        """Whether the server did not know how to answer; one that is busy may say so (503)."""
        return self.status is not None and self.status >= 500 and self.status != 503


def hostile_request(target: Target, chance: random.Random) -> tuple[bytes, bool]:
    """A request, and whether a server may take it for one that is not complete."""
    method, path, body = chance.choice(target.paths)
    headers: dict[str, list[bytes]] = {"Host": [b"127.0.0.1:%d" % target.port]}
    if chance.random() < 0.7:
        headers |= {name: [value] for name, value in target.known.items()}
    if body:
        headers["Content-Length"] = [b"%d" % len(body)]
    headers["Connection"] = [b"close"]
    wrong = False
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        name = chance.choice(FRAMING if chance.random() < 0.15 else NAMES)
        value = _value(chance)
        wrong |= name in FRAMING or any(each in value for each in (b"\r", b"\n", b"\x00"))
        if chance.random() < 0.2:
            headers.setdefault(name, []).append(value)
        else:
            headers[name] = [value] * chance.choice((1, 1, 1, 1, 2, 200))
    if chance.random() < 0.02:
        headers[chance.choice(("\x80", "A b", "", "a:", "x" * 9000))] = [b"1"]
        wrong = True
    lines = [f"{method} {path} HTTP/1.1".encode()]
    lines += [name.encode("latin-1") + b": " + v for name, each in headers.items() for v in each]
    return b"\r\n".join([*lines, b"", b""]) + body, wrong


def _value(chance: random.Random) -> bytes:
    value = chance.choice(HOSTILE if chance.random() < 0.8 else ORDINARY)
    match chance.randrange(6):
        case 0:
            return value + chance.choice(HOSTILE)[:2000]
        case 1:
            return chance.choice(ORDINARY) + value[:2000]
        case 2:
            at = chance.randrange(len(value) + 1)
            return value[:at] + chance.randbytes(chance.randint(1, 6)) + value[at:]
    return value


def ask(port: int, data: bytes, *, ends: bool = False) -> int | None:
    """The status of the answer; raises `TimeoutError` if neither it nor the end comes."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        received = b""
        try:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                received += part
                if _is_whole(received):
                    break
        except TimeoutError:
            raise
        except OSError:
            # The rest of what was sent is not read after a refusal.
            pass
    status = re.match(rb"HTTP/1.1 (\d{3}) ", received)
    return None if status is None else int(status[1])


def _is_whole(received: bytes) -> bool:
    head, separator, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return bool(separator) and length is not None and len(body) >= int(length[1])


def send_hostile(target: Target, number: int, seed: int, at_once: int = 4) -> Iterator[Sent]:
    """Send so many requests, a few at the same time."""
    chance = random.Random(f"{seed} {target.port}")

    def one(made: tuple[bytes, bool]) -> Sent:
        data, ends = made
        return Sent(data, ask(target.port, data, ends=ends))

    requests = (hostile_request(target, chance) for _ in count())
    with ThreadPoolExecutor(at_once) as pool:
        while number > 0 and (some := list(islice(requests, min(number, 500)))):
            number -= len(some)
            yield from pool.map(one, some)


@contextlib.contextmanager
def both_servers(home: Home) -> Iterator[tuple[Server, dict[str, Target]]]:
    """A server with its console beside it, and where to send: as a caller, and as a person."""
    environ = home.environ(GATEHOUSE_CONSOLE_PORT="0")
    port, out = free_port(), home.path / "server.log"
    home.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    with out.open("ab") as log:
        process = fork_command(("serve", "--port", str(port), "--console"), environ, log, log)
    server = Server(port, process, home)
    try:
        server.wait()
        [link] = re.findall(r"Console: (\S+)", server.log())
        base = link.partition("/link/")[0]
        done = until(lambda: _opened(link, base))
        assert done is not None
        scopes = [f"--scope={scope}" for scope in all_scopes()]
        key = home.key(DEMO_ACCOUNT, "--rate-limit", "0", *scopes)
        cookies = "; ".join(f"{name}={value}" for name, value in done.cookies.items())
        api = {"X-API-KEY": key.encode(), "Content-Type": b"application/json"}
        person = {"Cookie": cookies.encode(), "Origin": base.encode()}
        person["Content-Type"] = b"application/x-www-form-urlencoded"
        yield (
            server,
            {
                "api": Target(port, api, _api_paths()),
                "console": Target(int(base.rpartition(":")[2]), person, _console_paths()),
            },
        )
    finally:
        server.stop()


def _opened(link: str, base: str) -> httpx.Response | None:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.post(link, headers={"Origin": base}, timeout=PATIENCE_S)
    return None


def troubles(log: str) -> list[str]:
    """The lines of a log that tell of something that nobody foresaw."""
    return [line for line in log.splitlines() if '"level":"error"' in line or "Traceback" in line]
