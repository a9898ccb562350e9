"""`make webhook-delivery`: sends thousands of events to failing receivers while servers are killed.

Two webhooks are told of every decision, one of them in order. The receiver refuses half of what
comes; of what comes in order a tenth, because everything behind it waits. A third webhook is
deleted on the way. In the end every event must have been accepted by both, in the order of the
outbox by the one, and nothing may have come to the third after its deletion. How long requests
take meanwhile is compared with how long they take while the webhooks are disabled.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from tests.databases import start_postgres

from gatehouse.access.actors import Actor
from gatehouse.admin.webhooks.types.webhook import NewWebhook, WebhookChange
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.core.events import EventName
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import EVENTS
from scripts.bench.cards import precheck_body
from scripts.bench.client import pace, post
from scripts.bench.servers import Shop, make_shop
from scripts.connector_faults.processes import Commands
from scripts.webhook_parties import DELETED, ORDERED, PLAIN, KilledServer, Receiver, Senders

SETTINGS: Final = {"GATEHOUSE_WEBHOOK_RETRY_S": ",".join(["0"] * 60)}
"""Of the servers: what was refused is sent again at once."""
_PACED: Final = (100.0, 5.0)
"""Requests per second, and for how many seconds, when their time is measured."""
_ROUNDS: Final = 5
_NOTICED_S: Final = 1.5
"""Within a second servers know which decisions are to be told."""


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
            paths = receiver.accepted
            webhooks = {path: _create(session, shop, receiver, path) for path in paths}
            _wait_until_told(shop, server.port, receiver)
            if measured:
                _measure(report, session, shop, server.port, list(webhooks.values()))
            senders = Senders(shop, server.port, events)
            for number in range(kills):
                enough = events * (number + 1) // (kills + 1)
                _wait_for(partial(senders.has_answered, enough), server)
                server.kill()
                if number == kills // 2:
                    asyncio.run(endpoints.delete(session, shop.account_id, webhooks[DELETED]))
                    late = len(receiver.accepted[DELETED])
            senders.wait()
            told = _told(session)
            for path in (PLAIN, ORDERED):
                _wait_for(partial(receiver.has_all, path, told), server, 3600)
            assert len(receiver.accepted[DELETED]) == late, "something came after the deletion"
            _check_order(list(_told(session)), receiver.accepted[ORDERED])
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
    new = NewWebhook(url, ["decision.made"], ordered=path == ORDERED)
    return endpoints.create(session, shop.account_id, new).answer.id


def _wait_until_told(shop: Shop, port: int, receiver: Receiver) -> None:
    """Send requests until one is told: from then on, every decision is."""
    while not receiver.accepted[PLAIN]:
        pace(port, _requests(shop), connections=1, rate=5, seconds=0.5)


def _measure(
    report: Report, session: AdminSession, shop: Shop, port: int, webhooks: list[str]
) -> None:
    """The p99 of requests without webhooks and with them, in turn, so that both see the same."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(_ROUNDS):
        for told, times in found.items():
            for each in webhooks:
                endpoints.update(session, shop.account_id, each, WebhookChange(enabled=told))
            time.sleep(_NOTICED_S)
            times.append(_p99_ms(shop, port))
    report.before_p99_ms = statistics.median(found[False])
    report.during_p99_ms = statistics.median(found[True])


def _p99_ms(shop: Shop, port: int) -> float:
    """Measured by a process of its own: the receiver keeps this one busy."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_paced_p99_ms, shop, port).result()


def _paced_p99_ms(shop: Shop, port: int) -> float:
    rate, seconds = _PACED
    load = pace(port, _requests(shop), connections=16, rate=rate, seconds=seconds)
    return load.percentile_ms(0.99)


def _requests(shop: Shop) -> list[bytes]:
    headers = {"X-API-KEY": shop.key}
    return [post("/api/v1/precheck", precheck_body(n), headers) for n in range(2000)]


def _told(session: AdminSession) -> dict[str, None]:
    """The ids of all events about decisions, in the order of the outbox."""
    query = (
        sa.select(EVENTS.c.id)
        .where(EVENTS.c.type == EventName.DECISION_MADE)
        .order_by(EVENTS.c.xid, EVENTS.c.seq)
    )
    with session.reading() as connection:
        return dict.fromkeys(connection.scalars(query))


def _check_order(told: list[str], accepted: list[str]) -> None:
    first = [each for each in dict.fromkeys(accepted) if each in set(told)]
    assert first == told[: len(first)], "the order was not kept"


def _wait_for(condition: Callable[[], bool], server: KilledServer, seconds: float = 600) -> None:
    ends_at = time.monotonic() + seconds
    while not condition():
        server.check()
        if time.monotonic() > ends_at:
            raise SystemExit("what was waited for did not come")
        time.sleep(0.05)


def main() -> None:
    """Run the trial and print what came out."""
    parser = argparse.ArgumentParser(prog="make webhook-delivery", description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, not on SQLite")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gatehouse-webhooks-"))
        url = ""
        if options.postgres:
            url = stack.enter_context(start_postgres(quick=False)).empty()
        events, kills = options.events, options.kills
        stored = {"GATEHOUSE_DATABASE_URL": url} if url else {}
        shop = make_shop(Path(folder), **SETTINGS, **stored)
        found = run(shop, Commands(), events=events, kills=kills, measured=True)
    kind = "PostgreSQL" if options.postgres else "SQLite"
    print(f"{found.events} events to 2 webhooks, {kills} kills, {found.seconds:.0f} s, {kind}")
    print(f"  none lost, order kept, nothing after the deletion; {found.attempts} attempts")
    print(f"  {found.twice} messages were accepted more than once")
    ratio = found.during_p99_ms / found.before_p99_ms
    print(
        f"  p99 of requests {found.before_p99_ms:.1f} ms without, {found.during_p99_ms:.1f} ms "
        f"while messages are sent: {ratio:.2f}x   bar <= 1.2"
    )


if __name__ == "__main__":
    main()
