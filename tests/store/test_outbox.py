"""Events are read in one order, each at least once, whatever order their writers commit in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gatehouse.admin.privacy.use_cases.retention import (
    RetentionHooks,
    RetentionPolicy,
    count_old,
    run_retention,
)
from gatehouse.core.events import EventName, NewEvent
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.tables import EVENTS
from tests.harness import Home, make_account

DAY_MS = 86_400_000
RULES, KEYS = EventName.RULES_APPLIED, EventName.KEY_CREATED


def event(session: AdminSession, about: str, account: str, kind: EventName = RULES) -> NewEvent:
    with session.change() as change:
        change.audit("test")
        made = change.new_id("evt")
    return NewEvent(made, account, session.clock(), kind, "test", about)


def tell(session: AdminSession, account: str, *about: str, kind: EventName = RULES) -> None:
    events = [event(session, each, account, kind) for each in about]
    with session.database.writing() as connection:
        outbox.add(connection, events)


def read(session: AdminSession, account: str, cursor: str | None = None, limit: int = 100,
         *types: EventName) -> tuple[list[str], str, bool]:  # fmt: skip
    with session.reading() as connection:
        found = outbox.read_after(connection, account, cursor, limit, types)
    return [each.event.about for each in found.events], found.cursor, found.more


def test_events_are_read_in_pages_that_follow_on_each_other(
    session: AdminSession, account: str
) -> None:
    before = read(session, account)[1]
    tell(session, account, "one", "two", "three")
    first, cursor, more = read(session, account, before, 2)
    assert (first, more) == (["one", "two"], True)
    rest, cursor, more = read(session, account, cursor, 2)
    assert (rest, more) == (["three"], False)
    assert read(session, account, cursor) == ([], cursor, False)


def test_types_are_left_out_and_the_cursor_passes_them(session: AdminSession, account: str) -> None:
    start = _newest(session, account)
    tell(session, account, "rules")
    tell(session, account, "key", kind=KEYS)
    tell(session, account, "more rules")
    found, cursor, more = read(session, account, start, 100, KEYS)
    assert (found, more) == (["key"], False)
    assert cursor == _newest(session, account)
    assert read(session, account, start, 1, RULES)[0] == ["rules"]


def test_an_account_hears_of_itself_and_of_the_installation_only(
    session: AdminSession, account: str
) -> None:
    other = make_account(session)
    start = _newest(session, account)
    tell(session, account, "mine")
    tell(session, other, "another's")
    tell(session, outbox.INSTALLATION, "everybody's")
    assert read(session, account, start)[0] == ["mine", "everybody's"]
    with session.reading() as connection:
        [theirs] = outbox.read_after(connection, other, start, 100, [RULES]).events[:1]
        assert outbox.find(connection, account, theirs.event.id) is None


def test_a_cursor_whose_event_is_gone_begins_again(session: AdminSession, account: str) -> None:
    tell(session, account, "kept")
    lost = event(session, "restored away", account).id
    assert "kept" in read(session, account, lost)[0]


def test_no_event_is_passed_by_while_writers_commit_out_of_order(
    new_database: Callable[[], str], tmp_path: Path
) -> None:

    with Home(tmp_path / "home", new_database()).session() as session:
        account = make_account(session)
        cursor = _newest(session, account)
        events = {name: event(session, name, account) for name in ("slow", "quick", "later")}
        with session.database.writing() as slow:
            outbox.add(slow, [events["slow"]])
            with session.database.writing() as quick:
                outbox.add(quick, [events["quick"]])
            # The second is committed, but the first may still come before it.
            assert read(session, account, cursor) == ([], cursor, False)
        found, cursor, _ = read(session, account, cursor)
        assert found == ["slow", "quick"]
        tell(session, account, "last")
        assert read(session, account, cursor)[0] == ["last"]


def test_an_event_and_its_change_are_undone_together(session: AdminSession, account: str) -> None:
    start = _newest(session, account)
    with pytest.raises(ZeroDivisionError):
        _tell_and_fail(session, account)
    assert read(session, account, start)[0] == []


def _tell_and_fail(session: AdminSession, account: str) -> None:
    with session.change() as change:
        change.audit("test", account)
        change.event(RULES, account, "undone", {"version": 2})
        raise ZeroDivisionError


def _newest(session: AdminSession, account: str) -> str:
    with session.reading() as connection:
        return outbox.newest_cursor(connection, account)


def test_rows_of_another_database_keep_their_order_before_all_that_is_new(
    session: AdminSession, account: str
) -> None:
    start = _newest(session, account)
    tell(session, account, "one")
    middle = _newest(session, account)
    tell(session, account, "two")
    with session.database.writing() as connection:
        connection.execute(EVENTS.update().values(xid=EVENTS.c.xid + 10**15))
        if connection.dialect.name == "postgresql":
            assert outbox.rebase_if_foreign(connection)
            assert not outbox.rebase_if_foreign(connection)
        else:
            outbox.rebase(connection)
    tell(session, account, "three")
    assert read(session, account, start)[0] == ["one", "two", "three"]
    assert read(session, account, middle)[0] == ["two", "three"]


def test_old_events_are_deleted_and_their_readers_go_on_with_the_rest(
    session: AdminSession, account: str
) -> None:
    tell(session, account, "old")
    cursor = _newest(session, account)
    with session.database.writing() as connection:
        connection.execute(EVENTS.update().values(at_ms=session.clock() - 31 * DAY_MS))
    tell(session, account, "new")
    policy = RetentionPolicy(events=30)
    assert count_old(session, policy).events == 1
    assert run_retention(session, policy, RetentionHooks(rests=False)).events == 1
    assert read(session, account, cursor)[0] == ["new"]
    # Numbers are not used again, so that no reader takes a new event for one it knows.
    with session.reading() as connection:
        assert outbox.count_written(connection) == 2
        assert outbox.count_held_back(connection) == 0
