"""Converts what earlier versions stored with the inner fingerprints of cards.

A migration marks that there is something. Lists and wrong guesses are converted as soon as the
ring is open, because rules and limits must find them; records by a command, because there can be
very many and every reader understands them as they are.
"""

from collections.abc import Callable
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.cards.fingerprints import INNER_PREFIX
from gatehouse.decisions.record_fingerprints import shown_text
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.configured.list_reading import DROPPED
from gatehouse.store.identities.erasure import mark_due
from gatehouse.store.requests.settlement import end_of_hour
from gatehouse.store.state import clear_mark, read_mark, set_mark
from gatehouse.store.tables import CARD_MISMATCHES, DECISIONS, LIST_ENTRIES, LISTS

_MARK: Final = "inner-fingerprints"
_LISTS: Final = "lists"
_RECORDS: Final = "records"
_AT_ONCE: Final = 500


def records_are_due(connection: sa.Connection) -> bool:
    """Whether records may hold inner fingerprints beside BIN and last four."""
    return read_mark(connection, _MARK) is not None


def convert_lists(session: AdminSession) -> None:
    """Convert lists of cards and wrong guesses, once after an upgrade."""
    with session.reading() as connection:
        if read_mark(connection, _MARK) != _LISTS:
            return
    with session.change() as change:
        # Another process may have been faster.
        if read_mark(change.connection, _MARK) == _LISTS:
            set_mark(change.connection, _MARK, _RECORDS)
            entries = _convert_entries(session, change.connection)
            guesses = _convert_guesses(session, change.connection)
        else:
            entries = guesses = 0
        change.audit("lists.convert-fingerprints", entries=entries, guesses=guesses)


def convert_records(session: AdminSession, reached: Callable[[int], object]) -> int:
    """Convert the decision records, oldest account first; how many were converted.

    After an interruption the next call does the rest. `reached` is told how many are done.
    """
    with session.reading() as connection:
        mark = read_mark(connection, _MARK)
    done, last = 0, ("", "")
    pace = Pace(session.database)
    while True:
        with pace.turn(), batch_of(session) as connection:
            rows = connection.execute(_next_records(last)).all()
            _rewrite(session, connection, rows)
        if not rows:
            break
        done, last = done + len(rows), (rows[-1].account_id, rows[-1].request_id)
        reached(done)
    with session.change(unseen=True) as change:
        if mark is not None:
            clear_mark(change.connection, _MARK, mark)
        if done and session.database.is_sqlite:
            # Copies of the rows as they were remain in unused parts of the file.
            mark_due(change)
        change.audit("secrets.convert-fingerprints", records=done)
    return done


def _convert_entries(session: AdminSession, connection: sa.Connection) -> int:
    rows, fingerprints = LIST_ENTRIES.c, session.fingerprints
    of_cards = sa.select(LISTS.c.account_id, LISTS.c.name).where(
        LISTS.c.kind.in_((ListKind.CARDS.value, DROPPED + ListKind.CARDS.value))
    )
    query = sa.select(rows.account_id, rows.list, rows.value, rows.shown).where(
        sa.tuple_(rows.account_id, rows.list).in_(of_cards), rows.value.startswith(INNER_PREFIX)
    )
    changes = [
        {
            "of_account": row.account_id,
            "of_list": row.list,
            "inner": row.value,
            "new": fingerprints.of_account(row.account_id, row.value),
            "new_shown": fingerprints.of_account(row.account_id, row.shown),
        }
        for row in connection.execute(query.distinct())
    ]
    if changes:
        statement = LIST_ENTRIES.update().where(
            rows.account_id == sa.bindparam("of_account"),
            rows.list == sa.bindparam("of_list"),
            rows.value == sa.bindparam("inner"),
        )
        new: dict[str, Any] = {"value": sa.bindparam("new"), "shown": sa.bindparam("new_shown")}
        connection.execute(statement.values(new), changes)
    return len(changes)


def _convert_guesses(session: AdminSession, connection: sa.Connection) -> int:
    rows, mark = CARD_MISMATCHES.c, session.fingerprints.guess_mark
    old = rows.card.startswith(INNER_PREFIX)
    found = connection.execute(sa.select(CARD_MISMATCHES).where(old)).all()
    connection.execute(CARD_MISMATCHES.delete().where(old))
    if found:
        new = [
            {
                "card": mark(row.card),
                "request_id": mark(row.request_id),
                "at_ms": end_of_hour(row.at_ms),
            }
            for row in found
        ]
        connection.execute(CARD_MISMATCHES.insert(), new)
    return len(found)


def _next_records(after: tuple[str, str]) -> "sa.Select[Any]":
    key = (DECISIONS.c.account_id, DECISIONS.c.request_id)
    return (
        sa.select(*key, DECISIONS.c.card, DECISIONS.c.record)
        .where(sa.tuple_(*key) > sa.tuple_(*after), DECISIONS.c.card.startswith(INNER_PREFIX))
        .order_by(*key)
        .limit(_AT_ONCE)
    )


def _rewrite(session: AdminSession, connection: sa.Connection, rows: Any) -> None:
    fingerprints = session.fingerprints
    changes = [
        {
            "of_account": row.account_id,
            "of_request": row.request_id,
            "new_card": fingerprints.of_account(row.account_id, row.card),
            "new_record": shown_text(row.account_id, row.record, fingerprints),
        }
        for row in rows
    ]
    if changes:
        statement = DECISIONS.update().where(
            DECISIONS.c.account_id == sa.bindparam("of_account"),
            DECISIONS.c.request_id == sa.bindparam("of_request"),
        )
        new: dict[str, Any] = {
            "card": sa.bindparam("new_card"),
            "record": sa.bindparam("new_record"),
        }
        connection.execute(statement.values(new), changes)
