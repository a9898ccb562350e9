"""Reads the ledger of an account page by page, each line with the balance after it."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.billing.ledger import EntryKind, LedgerEntry
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.tables import TOP_UP_REFERENCES
from gatehouse.store.tables import IS_MOVEMENT, LEDGER_ENTRIES, NOT_A_HOLD

_LEDGER_AFTER: Final = Phrase(
    "refused.ledger_after", "a page begins after what the page before gave as its next"
)

_CURSOR: Final = re.compile(r"([0-9]{1,15})\.([a-z]{2,8}_[0-9a-z]{1,64})\.([01])")
_E: Final = LEDGER_ENTRIES.c
_PLACE: Final = (_E.at_ms, _E.reference, _E.step)
"""The order of an account's entries."""
_Condition = sa.ColumnElement[bool] | sa.TextClause
_MOVEMENTS: Final = frozenset({EntryKind.TOP_UP, EntryKind.ADJUST})


class LedgerSearch(msgspec.Struct, frozen=True):
    """Which entries are wanted, and from where on."""

    limit: int
    start_ms: int | None = None
    end_ms: int | None = None
    kinds: tuple[EntryKind, ...] = ()
    """All kinds but `AUTHORIZE`, which moves no money, when it is empty."""
    oldest_first: bool = False
    after: str | None = None
    """The cursor of the page before."""


class LedgerLine(msgspec.Struct, frozen=True):
    """An entry of the ledger."""

    entry: LedgerEntry
    balance: int
    """The balance after the entry."""
    payment_reference: str | None
    """The bank transfer or invoice of a top-up."""


class LedgerPage(msgspec.Struct, frozen=True):
    """Some entries in the order that was asked for."""

    lines: list[LedgerLine]
    next: str | None
    """The cursor of the following page; None when this is the last one."""


def page(connection: sa.Connection, account_id: str, search: LedgerSearch) -> LedgerPage:
    """A page of an account's ledger."""
    order = [place if search.oldest_first else place.desc() for place in _PLACE]
    query = sa.select(*_PLACE).where(*_wanted(account_id, search)).order_by(*order)
    found = connection.execute(query.limit(search.limit + 1)).all()
    places = found[: search.limit]
    if not places:
        return LedgerPage([], None)
    ends = (places[0], places[-1])
    oldest, newest = ends if search.oldest_first else ends[::-1]
    rows = connection.execute(_with_sums(account_id, oldest, newest, search.kinds)).all()
    # The balance now, back to where the page begins.
    later = sa.select(sa.func.coalesce(sa.func.sum(_E.amount), 0)).where(
        _E.account_id == account_id,
        sa.text(NOT_A_HOLD),
        sa.tuple_(*_PLACE) > _values(newest),
    )
    balance = accounts.state(connection, account_id).balance - int(connection.scalar(later) or 0)
    before = balance - int(rows[-1].running)
    lines = [_line(row, before) for row in (rows if search.oldest_first else reversed(rows))]
    following = ".".join(map(str, places[-1])) if len(found) > search.limit else None
    return LedgerPage(lines, following)


def _wanted(account_id: str, search: LedgerSearch) -> list[_Condition]:
    wanted: list[_Condition] = [_E.account_id == account_id, *_of_kinds(search.kinds, _E.kind)]
    if search.start_ms is not None:
        wanted.append(_E.at_ms >= search.start_ms)
    if search.end_ms is not None:
        wanted.append(_E.at_ms < search.end_ms)
    if search.after is not None:
        place, after = sa.tuple_(*_PLACE), _values(_read_cursor(search.after))
        wanted.append(place > after if search.oldest_first else place < after)
    return wanted


def _with_sums(
    account_id: str, oldest: Any, newest: Any, kinds: tuple[EntryKind, ...]
) -> "sa.Select[Any]":
    """Entries from one place to another, each with the sum of all up to it, wanted or not."""
    place = sa.tuple_(*_PLACE)
    running = sa.func.sum(_E.amount).over(order_by=_PLACE).label("running")
    entries = (
        sa.select(LEDGER_ENTRIES, running)
        .where(_E.account_id == account_id)
        .where(place >= _values(oldest), place <= _values(newest))
    )
    if EntryKind.AUTHORIZE not in kinds:
        entries = entries.where(sa.text(NOT_A_HOLD))
    each = entries.subquery("each")
    references = TOP_UP_REFERENCES.c
    same = (references.account_id == account_id) & (references.entry == each.c.reference)
    query = sa.select(each, references.reference.label("payment_reference"))
    query = query.select_from(each.outerjoin(TOP_UP_REFERENCES, same))
    query = query.where(*_of_kinds(kinds, each.c.kind))
    return query.order_by(each.c.at_ms, each.c.reference, each.c.step)


def _of_kinds(
    kinds: tuple[EntryKind, ...], column: "sa.ColumnElement[str]"
) -> Iterator[_Condition]:
    """Entries of some kinds, said so that the database finds the index of them."""
    if EntryKind.AUTHORIZE not in kinds:
        yield sa.text(NOT_A_HOLD)
    if kinds and _MOVEMENTS.issuperset(kinds):
        yield sa.text(IS_MOVEMENT)
    if kinds:
        yield column.in_([kind.value for kind in kinds])


def _line(row: Any, before: int) -> LedgerLine:
    *columns, running, payment_reference = row
    entry = msgspec.convert(columns, LedgerEntry)
    return LedgerLine(entry, before + int(running), payment_reference)


def _values(place: Any) -> "sa.Tuple":
    at_ms, reference, step = place
    return sa.tuple_(sa.literal(at_ms, sa.BigInteger), sa.literal(reference), sa.literal(step))


def _read_cursor(text: str) -> tuple[int, str, int]:
    read = _CURSOR.fullmatch(text)
    if read is None:
        raise InvalidInput(_LEDGER_AFTER())
    return int(read[1]), read[2], int(read[3])
