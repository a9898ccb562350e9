"""Who takes part in the trial of webhooks: a failing receiver, a killed server, many callers."""

import asyncio
import http.client
import json
import random
import signal
import threading
import time
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field
from typing import Final

from scripts.bench.cards import precheck_body
from scripts.bench.servers import Shop, free_port
from scripts.connector_faults.processes import Commands
from scripts.loopback import answering

_SENDERS: Final = 4
PLAIN, ORDERED, DELETED = "/plain", "/ordered", "/deleted"


@dataclass
class Receiver:
    """Answers some messages with 500, and keeps the ids of those it accepted."""

    port: int = field(default_factory=free_port)
    accepted: dict[str, list[str]] = field(
        default_factory=lambda: {PLAIN: [], ORDERED: [], DELETED: []}
    )
    refused: int = 0
    _chance: random.Random = field(default_factory=lambda: random.Random(18))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the messages of one connection."""
        with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.rstrip().split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in lines)
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                path = first.split(" ")[1]
                fails = self._chance.random() < (0.1 if path == ORDERED else 0.5)
                if fails:
                    self.refused += 1
                else:
                    self.accepted[path].append(body["id"])
                status = b"500 Failed" if fails else b"204 Accepted"
                writer.write(b"HTTP/1.1 %b\r\ncontent-length: 0\r\n\r\n" % status)
        writer.transport.abort()

    def has_all(self, path: str, told: dict[str, None]) -> bool:
        """Whether everything was accepted."""
        return told.keys() <= {*self.accepted[path]}

    def running(self) -> AbstractContextManager[None]:
        """Serve on a thread."""
        return answering(self.port, self.serve)


class KilledServer:
    """A server that is killed and started again on the same port."""

    def __init__(self, shop: Shop, commands: Commands) -> None:
        self.port = free_port()
        self._shop, self._commands = shop, commands
        self._start()

    def _start(self) -> None:
        with (self._shop.home / "server.log").open("ab") as log:
            words = ["serve", "--port", str(self.port)]
            self._process = self._commands.start(words, self._shop.environment, log)
        while not self._is_ready():
            self.check()
            time.sleep(0.05)

    def check(self) -> None:
        """End the trial if the server has ended by itself: nothing would ever arrive."""
        if (code := self._process.poll()) is not None:
            raise SystemExit(f"the server ended with {code}")

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with suppress(OSError, http.client.HTTPException), closing(connection):
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        return False

    def kill(self) -> None:
        """Kill it without warning, and start it again."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._start()

    def stop(self) -> None:
        """Stop it in good order."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)


class Senders:
    """Sends requests on some threads until enough are answered, over whatever comes."""

    def __init__(self, shop: Shop, port: int, wanted: int) -> None:
        self._shop, self._port, self._wanted = shop, port, wanted
        self._numbers = iter(range(10_000_000))
        self.answered = 0
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(_SENDERS)]
        for thread in self._threads:
            thread.start()

    def _run(self) -> None:
        headers = {"X-API-KEY": self._shop.key, "content-type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        while self.answered < self._wanted:
            try:
                body = precheck_body(next(self._numbers) % 20_000)
                connection.request("POST", "/api/v1/precheck", body, headers)
                if json.load(connection.getresponse())["isSuccess"]:
                    self.answered += 1
            except (OSError, http.client.HTTPException, ValueError):
                connection.close()
                time.sleep(0.05)
        connection.close()

    def has_answered(self, count: int) -> bool:
        """Whether so many requests were answered."""
        return self.answered >= count

    def wait(self) -> None:
        """Until all are answered."""
        for thread in self._threads:
            thread.join()
