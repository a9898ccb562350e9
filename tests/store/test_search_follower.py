"""The follower of decisions: nothing is passed by, nothing that is erased comes back."""

import asyncio
import contextlib
import secrets
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import asdict

from gatehouse.admin.search.queries.sources import IdSpan, by_terms, read_ids
from gatehouse.admin.search.use_cases.decisions import search_decisions
from gatehouse.admin.search.use_cases.filters import AmountRange, DecisionSearchRequest
from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.ids import first_id, new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.search_terms import (
    AMOUNT,
    DECISION,
    USER,
    SearchEntry,
    amount_bucket,
    micros_of,
    pack_terms,
    unpack_amount,
    unpack_terms,
    waiting_terms,
)
from gatehouse.pipeline.settlement import Authorize, Close, DecisionRow
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.exclusive import exclusive
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.writer import Writer
from gatehouse.store.search import follower, index_sessions
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.search.follower import SearchFollower
from gatehouse.store.search.index_sessions import open_index_session
from gatehouse.store.tables import DECISIONS, SEARCH_ENTRIES, SEARCH_WAITING
from tests.harness import PATIENCE_S, make_account
from tests.store.deciding import MOMENT_MS, keep_decision
from tests.store.earlier import OLD_ID, PURCHASE

LATER_MS = MOMENT_MS + 3_600_000


def entries(session: AdminSession) -> list[SearchEntry]:
    with session.reading() as connection:
        return [SearchEntry(*row) for row in connection.execute(sa.select(SEARCH_ENTRIES))]


def indexed(session: AdminSession) -> set[str]:
    return {each.request_id for each in entries(session)}


def waiting(session: AdminSession) -> list[str]:
    with session.reading() as connection:
        return list(connection.scalars(sa.select(SEARCH_WAITING.c.request_id)))


def found(session: AdminSession, account: str, **filters: Any) -> list[str]:
    page = search_decisions(session, account, DecisionSearchRequest(**filters))
    return [each.request_id for each in page.records]


def packed(session: AdminSession, account: str, amount: float) -> str:
    """What a purchase is found by."""
    maker = session.terms
    words = [(USER, "u-1"), (DECISION, "ACCEPT"), (AMOUNT, amount_bucket("USD", micros_of(amount)))]
    terms = [maker.term(account, field, value) for field, value in words]
    return pack_terms(terms, micros_of(amount)) or ""


def decided(session: AdminSession, account: str, amount: float, at_ms: int = MOMENT_MS) -> str:
    """A purchase as a server leaves it that knows decisions to be followed."""
    terms = packed(session, account, amount)
    request = keep_decision(session, account, at_ms, terms=terms)
    text = PURCHASE.replace(OLD_ID, request)
    with session.database.writing() as connection:
        this = DECISIONS.c.request_id == request
        connection.execute(DECISIONS.update().where(this).values(record=text))
    return request


def waits(session: AdminSession, account: str, amount: float) -> str:
    """A purchase that nobody would come by any more."""
    request = decided(session, account, amount)
    row = waiting_terms(request, packed(session, account, amount))
    with session.database.writing() as connection:
        connection.execute(SEARCH_WAITING.insert(), asdict(row))
    return request


def starting(session: AdminSession) -> None:
    """Let decisions be followed that come from now on."""
    starts = SearchFollower(session.database, lambda: MOMENT_MS - 1)
    starts.follow()
    starts.close()


@pytest.fixture
def follow(session: AdminSession) -> Iterator[Callable[[], bool]]:
    """Follows all decisions that there are."""
    starting(session)
    later = SearchFollower(session.database, lambda: LATER_MS)

    yield later.follow
    later.close()


def check_found(session: AdminSession, account: str, early: str, late: str) -> None:
    assert found(session, account, user_id="u-1") == [late, early]
    assert found(session, account, user_id="u-1", decision=Outcome.ACCEPT) == [late, early]
    assert found(session, account, amount=AmountRange("USD", 400.0, 600.0)) == [late]
    assert found(session, account, amount=AmountRange("USD", None, 4.0)) == []
    assert found(session, account, amount=AmountRange("USD", 0.0)) == [late, early]
    assert found(session, account, user_id="u-2") == []
    assert found(session, make_account(session), user_id="u-1") == []


def test_a_decision_is_found_before_and_after_it_is_followed(
    session: AdminSession, account: str, follow: Callable[[], bool]
) -> None:
    early, late = decided(session, account, 5.0), decided(session, account, 500.0)
    check_found(session, account, early, late)
    assert entries(session) == []
    assert follow()
    check_found(session, account, early, late)
    assert {each.amount for each in entries(session)} == {None, 5_000_000, 500_000_000}
    assert len(entries(session)) == 6
    assert not follow()


def test_what_is_told_to_wait_is_found_before_and_after_it_is_indexed(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_sessions, "MOVED_AT_ONCE", 1)
    early, late = waits(session, account, 5.0), waits(session, account, 500.0)
    opened = open_index_session(session.database)
    for moved in (1, 1, 0):
        check_found(session, account, early, late)
        assert opened.move_waiting() == moved
    opened.close()
    assert waiting(session) == []
    assert {each.amount for each in entries(session)} == {None, 5_000_000, 500_000_000}


def test_decisions_of_many_batches_are_all_indexed(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch, follow: Callable[[], bool]
) -> None:
    monkeypatch.setattr(index_sessions, "AT_ONCE", 2)
    monkeypatch.setattr(index_sessions, "ROWS_AT_ONCE", 4)
    other = make_account(session)
    known = [decided(session, each, 5.0) for each in (account, other, account, account, other)]
    known.append(waits(session, other, 7.0))
    follow()
    assert indexed(session) == set(known)
    assert len(entries(session)) == 3 * len(known)
    assert waiting(session) == []


def test_only_what_came_a_moment_ago_is_followed(session: AdminSession, account: str) -> None:
    starting(session)
    old, new = decided(session, account, 5.0), decided(session, account, 5.0, LATER_MS)
    now = SearchFollower(session.database, lambda: LATER_MS + 100)
    now.follow()
    now.close()
    assert indexed(session) == {old}
    assert found(session, account, user_id="u-1") == [new, old]


def test_a_decision_of_an_earlier_version_is_found_by_its_amount_where_it_waits(
    session: AdminSession, account: str, follow: Callable[[], bool]
) -> None:
    request = waits(session, account, 5.0)
    terms = unpack_terms(packed(session, account, 5.0))
    with session.database.writing() as connection:
        connection.execute(DECISIONS.update().values(terms=pack_terms(terms)))
    follow()
    assert found(session, account, amount=AmountRange("USD", 5.0, 5.0)) == [request]
    assert {each.amount for each in entries(session)} == {None, 5_000_000}


def test_what_is_not_indexed_yet_is_forgotten_like_the_rest(
    session: AdminSession, account: str, follow: Callable[[], bool]
) -> None:
    make = (waits, decided) * 3
    requests = [each(session, account, 5.0) for each in make]
    gone, erased, kept = requests[:2], requests[2:4], requests[4:]
    index = SearchIndex(session.terms, session.fingerprints)
    with session.database.writing() as connection:
        index.forget(connection, account, gone)
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id.in_(gone)))
        index.forget_person(connection, account, erased)
        left = sa.select(DECISIONS.c.terms).where(DECISIONS.c.request_id == erased[1])
        assert unpack_amount(connection.scalar(left) or "") == 5_000_000
    for _ in range(2):
        assert found(session, account, user_id="u-1") == kept[::-1]
        assert found(session, account, amount=AmountRange("USD", 5.0, 5.0)) == requests[:1:-1]
        follow()
    assert indexed(session) == {*erased, *kept}


class ErasingPace(Pace):
    """Erases something before rows are written for the first time."""

    def __init__(self, erase: Callable[[], None]) -> None:
        self._erase: Callable[[], None] | None = erase

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        if self._erase is not None:
            self._erase()
            self._erase = None
        yield


def test_what_is_erased_while_it_is_indexed_does_not_come_back(
    session: AdminSession, account: str, follow: Callable[[], bool]
) -> None:
    gone, kept = decided(session, account, 5.0), decided(session, account, 5.0)

    def erase() -> None:
        with session.database.writing() as connection:
            index = SearchIndex(session.terms, session.fingerprints)
            index.forget(connection, account, [gone])
            connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == gone))

    opened = open_index_session(session.database)
    opened.index_some(opened.look(), first_id("req", LATER_MS), ErasingPace(erase))
    opened.close()
    follow()
    assert indexed(session) == {kept}


def test_of_several_followers_one_works_at_a_time(
    session: AdminSession, account: str, follow: Callable[[], bool]
) -> None:
    request = decided(session, account, 5.0)
    with exclusive(session.database, "search") as is_mine:
        assert is_mine
        follow()
        assert entries(session) == []
    follow()
    assert indexed(session) == {request}


def test_another_s_progress_is_never_undone(
    session: AdminSession, account: str, follow: Callable[[], bool]
) -> None:
    decided(session, account, 5.0)
    opened = open_index_session(session.database)
    before = opened.look()
    follow()
    after = opened.look()
    assert not opened.index_some(before, first_id("req", MOMENT_MS + 10), Pace(session.database))
    assert opened.look() == after
    opened.close()


def _commit(session: AdminSession, account: str, request_id: str) -> None:
    """Take a request through the writer."""
    terms = packed(session, account, 5.0)
    row = DecisionRow(account, request_id, 7, "precheck", None, None, "{}", terms=terms)

    async def scenario() -> None:
        writer, now_ms = Writer(partial(open_batch_session, session.database)), session.clock()
        writer.start()
        hold = Hold(request_id, account, 30, now_ms + 60_000, "srv")
        await writer.authorize(Authorize(hold, now_ms))
        await writer.close(Close(account, request_id, 7, [Item("PRECHECK", 30, True)], row))
        await writer.stop()

    asyncio.run(scenario())


def test_a_commit_tells_what_is_found_by_only_where_the_follower_has_been(
    session: AdminSession, follow: Callable[[], bool]
) -> None:
    account = make_account(session, micros=1000)
    decided(session, account, 5.0)
    follow()
    behind, ahead = first_id("req", MOMENT_MS), first_id("req", LATER_MS)
    _commit(session, account, ahead)
    assert waiting(session) == []
    _commit(session, account, behind)
    assert waiting(session) == [behind]
    follow()
    assert waiting(session) == []
    assert behind in indexed(session)


def test_before_anybody_follows_every_decision_is_told_to_wait(session: AdminSession) -> None:
    account = make_account(session, micros=1000)
    _commit(session, account, first_id("req", MOMENT_MS))
    assert waiting(session) == [first_id("req", MOMENT_MS)]


def test_a_transaction_that_has_not_heard_how_far_decisions_are_followed_is_waited_for(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if session.database.is_sqlite:
        pytest.skip("one transaction at a time")
    monkeypatch.setattr(follower, "_COMMIT_S", 0.0)
    starting(session)
    early = decided(session, account, 5.0)
    later = SearchFollower(session.database, lambda: LATER_MS)
    with session.database.writing() as connection:
        row = {"account_id": account, "request_id": first_id("req", MOMENT_MS + 1), "at_ms": 7}
        values = {"operation": "sentry", "record": "{}", "terms": packed(session, account, 5.0)}
        connection.execute(DECISIONS.insert(), row | values)
        for _ in range(3):
            assert later.follow()
        assert entries(session) == []
    later.follow()
    later.close()
    assert indexed(session) == {early, row["request_id"]}


def test_a_running_follower_indexes_what_is_decided(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "_PAUSE_S", 0.01)
    starting(session)
    request = decided(session, account, 5.0)

    async def scenario() -> None:
        running = asyncio.create_task(SearchFollower(session.database, lambda: LATER_MS).run())
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(entries, session):  # noqa: ASYNC110  # a table
                await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(scenario())
    assert indexed(session) == {request}


def test_whatever_is_committed_while_the_follower_runs_is_indexed(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It follows so closely that many requests end behind it."""
    monkeypatch.setattr(follower, "_BEHIND_MS", 0)
    account = make_account(session, micros=1_000_000)
    terms = packed(session, account, 5.0)
    following = SearchFollower(session.database, session.clock)
    done: list[str] = []

    async def buy(writer: Writer) -> None:
        now_ms = session.clock()
        request = new_id("req", now_ms, secrets.token_bytes)
        row = DecisionRow(account, request, now_ms, "precheck", None, None, "{}", terms=terms)
        hold = Hold(request, account, 30, now_ms + 60_000, "srv")
        await writer.authorize(Authorize(hold, now_ms))
        await writer.close(Close(account, request, now_ms, [Item("PRECHECK", 30, True)], row))
        done.append(request)

    async def buyer(writer: Writer) -> None:
        for _ in range(20):
            await buy(writer)

    async def scenario() -> None:
        threads = 1 if session.database.is_sqlite else 2
        writers = [
            Writer(partial(open_batch_session, session.database), threads=threads) for _ in range(2)
        ]
        for each in writers:
            each.start()
        buying = asyncio.gather(*[buyer(each) for each in writers for _ in range(5)])
        while not buying.done():
            await asyncio.to_thread(following.follow)
        await buying
        for each in writers:
            await each.stop()

    asyncio.run(scenario())
    assert len(done) == 200
    with session.reading() as connection:
        source = by_terms(account, unpack_terms(terms)[:1])
        found = read_ids(connection, source, IdSpan(), 1000, newest_first=False)
    assert sorted(set(found)) == sorted(done)
    monkeypatch.setattr(follower, "_BEHIND_MS", -1000)
    while following.follow():
        pass
    following.close()
    assert waiting(session) == []
    assert sorted(each.request_id for each in entries(session)) == sorted(done * 3)


def test_a_follower_that_is_stopped_closes_its_connection_after_its_work(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is closed while a thread uses it ends the whole process."""
    used, goes_on, order = threading.Event(), threading.Event(), list[str]()
    following = SearchFollower(session.database, lambda: LATER_MS)

    def work(_session: object) -> bool:
        used.set()
        assert goes_on.wait(PATIENCE_S)
        order.append("worked")
        return False

    monkeypatch.setattr(following, "_follow", work)
    close = following._close

    def note_and_close() -> None:
        order.append("closed")
        close()

    monkeypatch.setattr(following, "_close", note_and_close)

    async def scenario() -> None:
        task = asyncio.create_task(following.run())
        assert await asyncio.to_thread(used.wait, PATIENCE_S)
        task.cancel()
        await asyncio.sleep(0.05)
        assert order == []
        goes_on.set()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert order == ["worked", "closed"]
