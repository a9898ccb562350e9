"""`make webhook-delivery`: sends thousands of events to failing receivers while servers are killed.

Two webhooks are told of every decision, one of them in order. The receiver refuses half of what
comes; of what comes in order a tenth, because everything behind it waits. A third webhook is
deleted on the way. In the end every event must have been accepted by both, in the order of the
outbox by the one, and nothing may have come to the third after its deletion. How long requests
take meanwhile is compared with before.
"""

import argparse
import asyncio
import http.client
import json
import random
import signal
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.webhooks import endpoints
from gatehouse.core.events import EventName
from gatehouse.installation import open_admin_session
from gatehouse.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.webhooks.destinations import DestinationPolicy
from gatehouse.webhooks.endpoint import WebhookTerms
from scripts.bench.cards import precheck_body
from scripts.bench.client import pace, post
from scripts.bench.servers import Shop, free_port, make_shop
from scripts.connector_faults.processes import Commands

SETTINGS: Final = {"GATEHOUSE_WEBHOOK_RETRY_S": ",".join(["0"] * 60)}
"""Of the servers: what was refused is sent again at once."""
_SENDERS: Final = 4
_PACED: Final = (100.0, 10.0)
"""Requests per second, and for how many seconds, when their time is measured."""
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

    @contextmanager
    def running(self) -> Iterator[None]:
        """Serve on a thread."""
        begun, stop, loops = threading.Event(), asyncio.Event(), []

        async def serve() -> None:
            loops.append(asyncio.get_running_loop())
            async with await asyncio.start_server(self.serve, "127.0.0.1", self.port):
                begun.set()
                await stop.wait()

        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        begun.wait()
        try:
            yield
        finally:
            loops[0].call_soon_threadsafe(stop.set)
            thread.join()


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
            time.sleep(0.05)

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
        self._threads = [threading.Thread(target=self._run) for _ in range(_SENDERS)]
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


@dataclass
class Report:
    """What came out."""

    events: int
    attempts: int
    twice: int
    seconds: float
    before_p99_ms: float = 0.0
    during_p99_ms: float = 0.0


def run(shop: Shop, commands: Commands, *, events: int, kills: int, measured: bool) -> Report:
    """The whole trial; it ends the program when anything is lost, out of order or too late."""
    receiver, server = Receiver(), KilledServer(shop, commands)
    session = open_admin_session(load_settings(shop.environment), Actor.system("trial"))
    report, late = Report(0, 0, 0, 0), 0
    began = time.monotonic()
    try:
        with receiver.running():
            if measured:
                report.before_p99_ms = _p99_ms(shop, server.port)
            paths = receiver.accepted
            webhooks = {path: _create(session, shop, receiver, path) for path in paths}
            _wait_until_told(shop, server.port, receiver)
            if measured:
                report.during_p99_ms = _p99_ms(shop, server.port)
            senders = Senders(shop, server.port, events)
            for number in range(kills):
                enough = events * (number + 1) // (kills + 1)
                _wait_for(partial(senders.has_answered, enough))
                server.kill()
                if number == kills // 2:
                    endpoints.delete(session, shop.account_id, webhooks[DELETED])
                    late = len(receiver.accepted[DELETED])
            senders.wait()
            told = _told(shop)
            for path in (PLAIN, ORDERED):
                _wait_for(partial(receiver.has_all, path, told), 3600)
            assert len(receiver.accepted[DELETED]) == late, "something came after the deletion"
            _check_order(list(_told(shop)), receiver.accepted[ORDERED])
    finally:
        server.stop()
        session.database.dispose()
    both = [*receiver.accepted[PLAIN], *receiver.accepted[ORDERED]]
    report.events = len(told)
    report.twice = len(both) - 2 * len(told)
    report.attempts = len(both) + receiver.refused
    report.seconds = time.monotonic() - began
    return report


def _create(session: AdminSession, shop: Shop, receiver: Receiver, path: str) -> str:
    url = f"http://127.0.0.1:{receiver.port}{path}"
    terms = WebhookTerms(url, (EventName.DECISION_MADE,), is_ordered=path == ORDERED)
    policy = DestinationPolicy(allows_loopback=True)
    return endpoints.create(session, shop.account_id, terms, policy).webhook.webhook_id


def _wait_until_told(shop: Shop, port: int, receiver: Receiver) -> None:
    """Send requests until one is told: from then on, every decision is."""
    while not receiver.accepted[PLAIN]:
        pace(port, _requests(shop), connections=1, rate=5, seconds=0.5)


def _p99_ms(shop: Shop, port: int) -> float:
    rate, seconds = _PACED
    load = pace(port, _requests(shop), connections=16, rate=rate, seconds=seconds)
    return load.percentile_ms(0.99)


def _requests(shop: Shop) -> list[bytes]:
    headers = {"X-API-KEY": shop.key}
    return [post("/api/v1/precheck", precheck_body(n), headers) for n in range(2000)]


def _told(shop: Shop) -> dict[str, None]:
    """The ids of all events about decisions, in the order of the outbox."""
    with closing(sqlite3.connect(shop.home / "sandbox.db")) as database:
        query = "SELECT id FROM events WHERE type = 'decision.made' ORDER BY seq"
        return dict.fromkeys(row[0] for row in database.execute(query))


def _check_order(told: list[str], accepted: list[str]) -> None:
    first = [each for each in dict.fromkeys(accepted) if each in set(told)]
    assert first == told[: len(first)], "the order was not kept"


def _wait_for(condition: Callable[[], bool], seconds: float = 600) -> None:
    ends_at = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends_at:
            raise SystemExit("what was waited for did not come")
        time.sleep(0.05)


def main() -> None:
    """Run the trial and print what came out."""
    parser = argparse.ArgumentParser(prog="make webhook-delivery", description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gatehouse-webhooks-") as folder:
        shop = make_shop(Path(folder), **SETTINGS)
        found = run(shop, Commands(), events=options.events, kills=options.kills, measured=True)
    print(f"{found.events} events to 2 webhooks, {options.kills} kills, {found.seconds:.0f} s")
    print(f"  none lost, order kept, nothing after the deletion; {found.attempts} attempts")
    print(f"  {found.twice} messages were accepted more than once")
    ratio = found.during_p99_ms / found.before_p99_ms
    print(
        f"  p99 of requests {found.before_p99_ms:.1f} ms before, {found.during_p99_ms:.1f} ms "
        f"while messages are sent: {ratio:.2f}x   bar <= 1.2"
    )


if __name__ == "__main__":
    main()
