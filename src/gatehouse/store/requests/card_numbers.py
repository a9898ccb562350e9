"""Counts card numbers that share BIN and last four, of requests and of all else that names cards.

Numbers that an account sent before go on working when their group is full, so a refusal says that
a number was not sent lately. Refused numbers are therefore counted too: when there are as many of
them as may be sent, nothing of the group is answered any more.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.pipeline.settlement import Enumerated, NumberSent, NumbersLimit
from gatehouse.store.database import is_any_of
from gatehouse.store.tables import ACCOUNTS, CARD_NUMBERS

NUMBERS_WINDOW_MS: Final = 24 * 3_600_000
_REFUSED: Final = "!"
"""Stands before the mark of a number that was refused."""

_NOTE: Final = sa.text(
    "INSERT INTO card_numbers (card_group, number, at_ms) VALUES (:card_group, :number, :at_ms) "
    "ON CONFLICT (card_group, number) DO UPDATE SET at_ms = excluded.at_ms"
)

NumbersByGroup = dict[str, dict[str, int]]
"""By group: the numbers that were sent within the window, and when."""


class SentNumber(msgspec.Struct, frozen=True, array_like=True):
    """A card number that an account sent, by marks."""

    card_group: str
    number: str
    at_ms: int


class NumbersRefused(msgspec.Struct, frozen=True):
    """What the caller is told of numbers that are too many, and what is noted of them."""

    told: Enumerated
    tries: list[SentNumber]


def refusal_of(limit: NumbersLimit, loaded: NumbersByGroup, at_ms: int) -> NumbersRefused | None:
    """Why the numbers are too many of a group; None when they may be looked at."""
    groups: dict[str, dict[str, None]] = {}
    for each in limit.sent:
        # One number can stand in several places of a request.
        groups.setdefault(each.group, {})[each.number] = None
    for group, numbers in groups.items():
        rows = loaded.get(group, {})
        refused = [at for number, at in rows.items() if number.startswith(_REFUSED)]
        if len(refused) >= limit.most:
            return NumbersRefused(_retry(refused, at_ms), [])
        new = [number for number in numbers if number not in rows]
        if new and len(rows) - len(refused) + len(new) > limit.most:
            known = [at for number, at in rows.items() if not number.startswith(_REFUSED)]
            tries = [f"{_REFUSED}{number}" for number in new]
            fresh = [mark for mark in tries if mark not in rows][: limit.most - len(refused)]
            noted = [SentNumber(group, mark, at_ms) for mark in fresh]
            return NumbersRefused(_retry(known, at_ms), noted)
    return None


def sent_rows(sent: Sequence[NumberSent], at_ms: int) -> list[SentNumber]:
    """What is noted of numbers that were looked at."""
    return [SentNumber(each.group, each.number, at_ms) for each in sent]


def count_numbers(
    connection: sa.Connection, account_id: str, limit: NumbersLimit, at_ms: int
) -> Enumerated | None:
    """Count numbers that an account names beside its requests, or refuse them.

    Requests lock the row of their account as well, so numbers that are sent at once add up.
    """
    this = sa.select(ACCOUNTS.c.id).where(ACCOUNTS.c.id == account_id)
    connection.execute(this.with_for_update())
    refused = refusal_of(limit, _load(connection, limit, at_ms), at_ms)
    noted = sent_rows(limit.sent, at_ms) if refused is None else refused.tries
    if noted:
        connection.execute(_NOTE, [msgspec.structs.asdict(each) for each in noted])
    return None if refused is None else refused.told


def refused_before(connection: sa.Connection, limit: NumbersLimit, at_ms: int) -> Enumerated | None:
    """The refusal of numbers of which nothing is left to be noted; it needs no write lock."""
    refused = refusal_of(limit, _load(connection, limit, at_ms), at_ms)
    return None if refused is None or refused.tries else refused.told


def _load(connection: sa.Connection, limit: NumbersLimit, at_ms: int) -> NumbersByGroup:
    rows, groups = CARD_NUMBERS.c, sorted({each.group for each in limit.sent})
    # Numbers are found by their group alone: by their time, all of a day would be read.
    query = sa.select(rows.card_group, rows.number, rows.at_ms).where(
        is_any_of(connection, rows.card_group, groups), rows.at_ms + 0 > at_ms - NUMBERS_WINDOW_MS
    )
    loaded: NumbersByGroup = {}
    for group, number, sent_at_ms in connection.execute(query):
        loaded.setdefault(group, {})[number] = sent_at_ms
    return loaded


def _retry(counted: Sequence[int], at_ms: int) -> Enumerated:
    """A refusal until the oldest of the numbers that count no longer does."""
    return Enumerated(min(counted, default=at_ms) + NUMBERS_WINDOW_MS - at_ms)
