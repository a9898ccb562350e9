"""What dead processes held comes back, and what is old is forgotten."""

import asyncio

import sqlalchemy as sa

from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import Hold
from gatehouse.core.money import Payment
from gatehouse.pipeline.settlement import Authorize, Authorized, Claim
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests import intents
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.requests.sweeper import Sweeper
from gatehouse.store.requests.writer import Writer
from gatehouse.store.tables import CARD_MISMATCHES, IDEMPOTENCY

DAY_MS = 24 * 3600 * 1000


def _account(session: AdminSession) -> str:
    with session.change() as change:
        made = accounts.create(change, "Shop", "USD")
        ledger.top_up(change, made.account_id, 100, "")
    return made.account_id


def _hold_for_two(session: AdminSession, account: str, only_owner: str | None) -> tuple[int, int]:
    """A dead server's hold and our own; returns (released, still held)."""

    async def scenario() -> int:
        writer = Writer(lambda: open_batch_session(session.database))
        writer.start()
        now_ms = session.clock()
        for owner in ("srv_dead", "srv_live"):
            claim = Claim(f"claim {owner}", "b", now_ms + DAY_MS)
            hold = Hold(f"req_{owner}", account, 30, now_ms + 60_000, owner, None, claim.claim_id)
            order = Authorize(hold, now_ms, claim, Payment(5990, "USD"))
            assert isinstance(await writer.authorize(order), Authorized)
        sweeper = Sweeper(session.database, writer, session.clock, only_owner)
        released = await sweeper.release_orphans()
        await writer.stop()
        return released

    released = asyncio.run(scenario())
    assert money.verify_ledger(session).problems == []
    with session.reading() as connection:
        return released, accounts.state(connection, account).held


def test_the_only_server_releases_what_others_held_and_frees_their_keys(
    session: AdminSession,
) -> None:
    account = _account(session)
    assert _hold_for_two(session, account, "srv_live") == (1, 30)
    with session.reading() as connection:
        kept = list(connection.scalars(sa.select(IDEMPOTENCY.c.claim_id)))
    assert kept == ["claim srv_live"]


def test_the_payments_of_a_dead_server_are_put_in_doubt_and_those_of_a_live_one_are_not(
    session: AdminSession,
) -> None:
    account = _account(session)
    _hold_for_two(session, account, "srv_live")
    with session.reading() as connection:
        dead = intents.get(connection, "req_srv_dead")
        live = intents.get(connection, "req_srv_live")
    assert (dead.state, dead.detail) == (IntentState.REVERSE, "expired")
    assert dead.next_at_ms is not None
    assert dead.next_at_ms <= session.clock()
    assert (live.state, live.next_at_ms, live.attempts) == (IntentState.OPEN, None, 0)
    assert (live.account_id, live.amount_minor, live.currency) == (account, 5990, "USD")


def test_one_of_several_servers_waits_for_the_expiry(session: AdminSession) -> None:
    assert _hold_for_two(session, _account(session), None) == (0, 60)


def test_the_only_server_looks_for_no_others(session: AdminSession) -> None:
    """Where one server can run alone, none says that it is alive."""
    writer = Writer(lambda: open_batch_session(session.database))
    sweeper = Sweeper(session.database, writer, session.clock, "srv_live")
    assert asyncio.run(sweeper.release_of_dead()) == 0


def test_old_keys_and_old_mismatches_are_forgotten(session: AdminSession) -> None:
    now_ms = session.clock()
    with session.database.writing() as connection:
        for name, at_ms in (("old", now_ms - 1), ("new", now_ms + DAY_MS)):
            row = {"claim_id": name, "request_id": "r", "body": "b", "expires_at_ms": at_ms}
            connection.execute(IDEMPOTENCY.insert(), row)
        for name, at_ms in (("old", now_ms - DAY_MS - 1), ("new", now_ms)):
            row = {"card": "fp", "request_id": name, "at_ms": at_ms}
            connection.execute(CARD_MISMATCHES.insert(), row)
    writer = Writer(lambda: open_batch_session(session.database))
    assert Sweeper(session.database, writer, session.clock, None).prune() == 2
    with session.reading() as connection:
        assert list(connection.scalars(sa.select(IDEMPOTENCY.c.claim_id))) == ["new"]
        assert list(connection.scalars(sa.select(CARD_MISMATCHES.c.request_id))) == ["new"]
