"""What the writer notes about payments and reviews, in the commits that it makes anyway."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.errors import AuthorizationLost, Conflict, NotFound
from gatehouse.core.money import Payment
from gatehouse.pipeline.settlement import (
    Authorize,
    Close,
    DecisionRow,
    IntentEnd,
    Redirect,
    Release,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests import intents
from gatehouse.store.requests.batch_sql import NO_RECORDS, BatchSession, open_batch_session
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.requests.reversal_worker import after_attempt
from gatehouse.store.requests.settlement import BatchKeys, BatchRows, Changes, Expire
from gatehouse.store.requests.writer import Writer
from gatehouse.store.tables import GATEWAY_INTENTS, REVIEWS
from tests.harness import make_account


class CountingSession(BatchSession):
    """A batch session that counts its commits."""

    def __init__(self, batch_session: BatchSession) -> None:
        self._session = batch_session
        self.flushes = batch_session.flushes
        self.commits = 0

    def load(
        self, wanted: BatchKeys, records: Changes = NO_RECORDS, *, durable: bool = True
    ) -> BatchRows:
        return self._session.load(wanted, records, durable=durable)

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        self._session.save(changes, flush=flush)
        self.commits += 1

    def flush(self) -> None:
        self._session.flush()

    def abandon(self) -> None:
        self._session.abandon()

    def close(self) -> None:
        self._session.close()


@pytest.fixture
def account(session: AdminSession) -> str:
    return make_account(session, micros=1000)


@pytest.fixture
def batch_session(session: AdminSession) -> Iterator[CountingSession]:
    batch_session = CountingSession(open_batch_session(session.database))
    yield batch_session
    batch_session.close()


def authorize(session: AdminSession, account: str, request_id: str) -> Authorize:
    now_ms = session.clock()
    hold = Hold(request_id, account, 30, now_ms + 60_000, "srv")
    return Authorize(hold, now_ms, intent=Payment(10**12, "JPY"))


def close(
    account: str, request_id: str, intent: IntentEnd | None, *, review: bool = False
) -> Close:
    row = DecisionRow(account, request_id, 7, "pipeline", None, None, '{"closedMicros":30}')
    items = [Item("GATEWAY", 30, True)]
    return Close(account, request_id, 7, items, row, intent=intent, review=review)


def settle(batch_session: BatchSession, work: Callable[[Writer], Awaitable[Any]]) -> Any:
    async def scenario() -> Any:
        writer = Writer(lambda: batch_session)
        writer.start()
        try:
            return await work(writer)
        finally:
            await writer.stop()

    return asyncio.run(scenario())


def states(session: AdminSession) -> dict[str, IntentState]:
    with session.reading() as connection:
        rows = connection.execute(sa.select(GATEWAY_INTENTS))
        return {row.request_id: IntentState(row.state) for row in rows}


def test_a_payment_and_a_review_cost_no_commit_of_their_own(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        await writer.authorize(authorize(session, account, "r0"))
        assert states(session) == {"r0": IntentState.OPEN}
        await writer.close(close(account, "r0", IntentEnd.SETTLED, review=True))

    settle(batch_session, work)
    assert batch_session.commits == 2
    assert states(session) == {}
    with session.reading() as connection:
        reviews = [tuple(row) for row in connection.execute(sa.select(REVIEWS))]
    assert money.verify_ledger(session).problems == []
    assert reviews == [(account, "r0", 7, "OPEN", *[None] * 5, 0)]


def references(session: AdminSession) -> dict[str, str | None]:
    with session.reading() as connection:
        rows = connection.execute(sa.select(GATEWAY_INTENTS))
        return {row.request_id: row.reference for row in rows}


def test_another_party_is_stored_for_open_payments_alone(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        for name in ("open", "ended"):
            await writer.authorize(authorize(session, account, name))
        await writer.redirect(Redirect(account, "open", "second"))
        await writer.release(Expire(account, "ended", 7))
        for request_id, owner in (("ended", account), ("open", "acct_other"), ("none", account)):
            with pytest.raises(AuthorizationLost):
                await writer.redirect(Redirect(owner, request_id, "second"))
        # A server that dies now leaves the payment to others, who know where it went.
        await writer.release(Expire(account, "open", 7))

    settle(batch_session, work)
    assert references(session) == {"open": "second", "ended": None}
    assert states(session) == dict.fromkeys(("open", "ended"), IntentState.REVERSE)


def test_a_payment_that_is_redirected_and_ended_in_one_batch_is_changed_once(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        await asyncio.gather(*(writer.authorize(authorize(session, account, n)) for n in "abc"))
        await asyncio.gather(
            writer.redirect(Redirect(account, "a", "second")),
            writer.release(Expire(account, "a", 7)),
            writer.redirect(Redirect(account, "b", "second")),
            writer.close(close(account, "b", IntentEnd.SETTLED)),
            writer.redirect(Redirect(account, "c", "second")),
            writer.close(close(account, "c", IntentEnd.DOUBTFUL)),
        )

    settle(batch_session, work)
    assert states(session) == dict.fromkeys("ac", IntentState.REVERSE)
    assert references(session)["a"] == "second"


def test_ends_of_every_kind_in_one_batch_each_do_their_own(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    names = ["settled", "reviewed", "doubtful", "released", "expired", "open"]

    async def work(writer: Writer) -> None:
        await asyncio.gather(*(writer.authorize(authorize(session, account, n)) for n in names))
        await asyncio.gather(
            writer.close(close(account, "settled", IntentEnd.SETTLED)),
            writer.close(close(account, "reviewed", IntentEnd.REVIEWED, review=True)),
            writer.close(close(account, "doubtful", IntentEnd.DOUBTFUL, review=True)),
            writer.release(Release(account, "released", 7)),
            writer.release(Expire(account, "expired", 7)),
        )

    settle(batch_session, work)
    assert batch_session.commits == 2
    reverse = IntentState.REVERSE
    expected = {"doubtful": reverse, "released": reverse, "expired": reverse}
    kept = {"open": IntentState.OPEN, "reviewed": IntentState.REVIEW}
    assert states(session) == expected | kept
    with session.reading() as connection:
        assert not intents.abandoned(connection)
        in_doubt = {one.request_id for one in intents.listing(connection, None, None, 10)}
        [waiting] = intents.listing(connection, IntentState.REVIEW, None, 10)
    assert in_doubt == {*expected, "open"}
    assert (waiting.request_id, waiting.changed_at_ms) == ("reviewed", 7)
    with session.reading() as connection:
        doubtful = intents.get(connection, "doubtful")
    assert (doubtful.amount_minor, doubtful.currency) == (10**12, "JPY")
    assert (doubtful.attempts, doubtful.next_at_ms, doubtful.detail) == (0, 7, "unanswered")


def test_a_close_that_comes_after_its_payment_was_reversed_has_it_reversed_again(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        await writer.authorize(authorize(session, account, "r0"))
        await writer.release(Expire(account, "r0", 5))
        with session.database.writing() as connection:
            (claimed,) = intents.claim(connection, 6, 99, 10)
            ended = _ended(claimed)
            assert intents.finish(connection, claimed, ended)
        assert states(session) == {"r0": IntentState.REVERSED}
        with pytest.raises(AuthorizationLost):
            await writer.close(close(account, "r0", IntentEnd.SETTLED))

    settle(batch_session, work)
    assert states(session) == {"r0": IntentState.REVERSE}


def test_a_reversal_under_way_does_not_count_when_the_payment_comes_into_doubt_meanwhile(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> bool:
        await writer.authorize(authorize(session, account, "r0"))
        await writer.release(Expire(account, "r0", 5))
        with session.database.writing() as connection:
            (claimed,) = intents.claim(connection, 6, 99, 10)
        await writer.release(Release(account, "r0", 8))
        with session.database.writing() as connection:
            return intents.finish(connection, claimed, _ended(claimed))

    assert settle(batch_session, work) is False
    with session.reading() as connection:
        again = intents.get(connection, "r0")
    assert (again.state, again.next_at_ms, again.attempts) == (IntentState.REVERSE, 8, 1)


def test_nobody_can_put_the_payment_of_another_account_in_doubt(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        await writer.authorize(authorize(session, account, "r0"))
        await writer.release(Release("acct_other", "r0", 7))
        with pytest.raises(AuthorizationLost):
            await writer.close(close("acct_other", "r0", IntentEnd.DOUBTFUL))

    settle(batch_session, work)
    assert states(session) == {"r0": IntentState.OPEN}


def test_a_close_that_says_nothing_of_its_payment_leaves_it_to_be_found(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        await writer.authorize(authorize(session, account, "forgotten"))
        await writer.authorize(authorize(session, account, "under way"))
        await writer.close(close(account, "forgotten", None))

    settle(batch_session, work)
    with session.reading() as connection:
        assert intents.abandoned(connection) == ["forgotten"]
    with session.database.writing() as connection:
        assert intents.doubt_abandoned(connection, 9) == 1
    assert states(session) == {"forgotten": IntentState.REVERSE, "under way": IntentState.OPEN}


def test_only_a_failed_payment_can_be_tried_again_and_that_is_audited(
    session: AdminSession, account: str, batch_session: CountingSession
) -> None:
    async def work(writer: Writer) -> None:
        await writer.authorize(authorize(session, account, "r0"))
        await writer.authorize(authorize(session, account, "r1"))

    settle(batch_session, work)
    failed = GATEWAY_INTENTS.update().where(GATEWAY_INTENTS.c.request_id == "r0")
    with session.database.writing() as connection:
        connection.execute(failed.values(state=IntentState.FAILED, attempts=20))
    for wrong in ("r1", "r9"):
        with pytest.raises((Conflict, NotFound)), session.change() as change:
            intents.retry(change, ["r0", wrong])
    assert states(session)["r0"] is IntentState.FAILED
    with session.change() as change:
        (again,) = intents.retry(change, ["r0"])
    assert (again.state, again.attempts, again.next_at_ms) == (
        IntentState.REVERSE,
        0,
        change.now_ms,
    )
    with session.reading() as connection:
        assert [one.request_id for one in intents.listing(connection, None, account, 10)] == [
            "r1",
            "r0",
        ]
        assert intents.listing(connection, IntentState.FAILED, None, 10) == []
        assert intents.listing(connection, None, "acct_other", 10) == []


def _ended(claimed: intents.KeptIntent) -> intents.KeptIntent:
    return after_attempt(claimed, None, 6)
