"""PostgreSQL crashes around a commit: nothing answered is lost, and nothing is charged twice."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.errors import AuthorizationLost, StoreUnavailable
from gatehouse.core.ids import derived_id
from gatehouse.core.money import Payment
from gatehouse.pipeline.settlement import (
    AuthorizationResult,
    Authorize,
    Authorized,
    Claim,
    Close,
    Closed,
    DecisionRow,
    IntentEnd,
    Replay,
    StillInFlight,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.settlement import Expire
from gatehouse.store.tables import GATEWAY_INTENTS, HOLDS, LEDGER_ENTRIES
from tests.databases import Postgres, start_postgres
from tests.harness import Home, make_account
from tests.store.ledger_model import CutServer

NOW = 1_700_000_000_000
LATER = NOW + 3_600_000
FEE = 30
# Otherwise the log is written a few times a second, whoever waits for it or not.
SETTINGS = "wal_writer_delay = 10s\n"


@pytest.fixture(scope="module")
def fragile() -> Iterator[Postgres]:
    """A PostgreSQL server of its own, which a test may crash."""
    with start_postgres(settings=SETTINGS) as server:
        yield server


@pytest.fixture
def session(fragile: Postgres, tmp_path: Path) -> Iterator[AdminSession]:
    with Home(tmp_path / "home", fragile.new()).session() as opened:
        yield opened


@pytest.fixture
def serve(session: AdminSession, fragile: Postgres) -> Iterator[Callable[[], CutServer]]:
    """Starts servers whose connections are lost when the database crashes."""
    loop = asyncio.new_event_loop()
    started: list[CutServer] = []

    def start() -> CutServer:
        started.append(CutServer(session.database, loop, fragile.crash))
        return started[-1]

    yield start
    for server in started:
        server.stop()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def authorize(
    account: str, number: int, key: str | None = None, *, pays: bool = False
) -> Authorize:
    claim = None if key is None else Claim(key, "body", LATER)
    hold = Hold(request(number), account, FEE, LATER, "srv", None, key)
    return Authorize(hold, NOW, claim, Payment(100, "USD") if pays else None)


def close(account: str, number: int, key: str | None = None, *, pays: bool = False) -> Close:
    record = f'{{"authorizedMicros":{FEE},"closedMicros":{FEE}}}'
    row = DecisionRow(account, request(number), NOW, "precheck", None, None, record)
    items = [Item("PRECHECK", FEE, True)]
    answer = None if key is None else lambda left: f"left {left}".encode()
    intent = IntentEnd.SETTLED if pays else None
    return Close(account, request(number), NOW, items, row, None, key, answer, intent)


def request(number: int) -> str:
    return derived_id("req", NOW, str(number))


def charges(session: AdminSession, account: str) -> list[str]:
    entries = LEDGER_ENTRIES.c
    query = sa.select(entries.reference).where(entries.account_id == account)
    with session.reading() as connection:
        return list(connection.scalars(query.where(entries.kind == "CLOSE")))


def column(session: AdminSession, wanted: "sa.Column[str]") -> set[str]:
    with session.reading() as connection:
        return set(connection.scalars(sa.select(wanted)))


def repeat(server: CutServer, account: str) -> AuthorizationResult:
    """What a caller gets who repeats a request until it is answered."""
    found: AuthorizationResult = server.settle(authorize(account, 1, "key"))
    if isinstance(found, StillInFlight):
        # The crash came too late for the authorization, which expires then.
        server.settle(Expire(account, request(0), NOW))
        found = server.settle(authorize(account, 1, "key"))
    return found


@pytest.mark.parametrize("moment", ["before the commit", "before the flush", "after it"])
def test_a_charge_is_made_once_whenever_the_database_crashes(
    moment: str, session: AdminSession, serve: Callable[[], CutServer]
) -> None:
    account, server = make_account(session, micros=100), serve()
    assert isinstance(server.settle(authorize(account, 0, "key")), Authorized)
    server.cut = moment
    with pytest.raises(StoreUnavailable):
        server.settle(close(account, 0, "key"))
    server.cut = None
    found = repeat(server, account)
    if isinstance(found, Authorized):
        assert moment != "after it", "a durable charge was lost"
        assert server.settle(close(account, 1, "key")) == Closed(70, b"left 70")
    assert server.settle(authorize(account, 2, "key")) == Replay(b"left 70")
    assert len(charges(session, account)) == 1
    assert money.verify_ledger(session).problems == []


def test_what_a_server_has_seen_of_another_is_durable_with_its_own(
    session: AdminSession, serve: Callable[[], CutServer], fragile: Postgres
) -> None:
    account, cut_off, server = make_account(session, micros=1000), serve(), serve()
    cut_off.crash = None
    cut_off.settle(authorize(account, 0))
    cut_off.cut = "before the flush"
    with pytest.raises(StoreUnavailable):
        cut_off.settle(close(account, 0))
    # Nobody waited for that charge to be durable; a payment after it is sent as soon as this is.
    assert server.settle(authorize(account, 1, pays=True)) == Authorized(940)
    server.settle(authorize(account, 2))
    fragile.crash()
    assert charges(session, account) == [request(0)]
    assert request(1) in column(session, HOLDS.c.request_id)
    assert column(session, GATEWAY_INTENTS.c.request_id) == {request(1)}
    server = serve()
    assert isinstance(server.settle(close(account, 1, pays=True)), Closed)
    # This authorization may be lost: then the request fails and costs nothing.
    try:
        server.settle(close(account, 2))
    except AuthorizationLost:
        assert set(charges(session, account)) == {request(0), request(1)}
    else:
        assert len(charges(session, account)) == 3
    assert money.verify_ledger(session).problems == []
