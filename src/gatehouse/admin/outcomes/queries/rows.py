"""The rows of outcomes: kept, listed, joined and forgotten; every query is bound to an account."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.outcomes.tables import OUTCOME_DAYS, OUTCOMES
from gatehouse.admin.outcomes.types.kept import OutcomeName, OutcomeRow, retold
from gatehouse.admin.outcomes.types.outcome import OutcomeKind, OutcomeNetwork
from gatehouse.billing.statement import DAY_MS
from gatehouse.store.database import insert_rows, is_any_of, rows_of_any, struct_from

_O: Final = OUTCOMES.c
_DAY: Final = OUTCOME_DAYS.c
_NOT_SETTLED: Final = sa.text("kind <> 'SETTLED'")
NOT_JOINED: Final = sa.text("request_id IS NULL AND kind <> 'SETTLED'")
"""Written out: databases use an index of some rows only for a query that says the same."""

_PLACE: Final = ("network", "merchant_id", "region")
"""What programmes count an outcome by."""
_FIELDS: Final = OutcomeRow.__struct_fields__
_COLUMNS: Final = [_O[name] for name in _FIELDS]
_INSERT: Final = " ".join(
    (
        *("INSERT INTO outcomes (", ", ".join(_FIELDS)),
        *(") VALUES (", ", ".join("?" * len(_FIELDS)), ")"),
    )
)
_NOTE_CHANGE: Final = sa.text(
    "INSERT INTO outcome_days (account_id, day, changes) VALUES (:account_id, :day, 1) "
    "ON CONFLICT (account_id, day) DO UPDATE SET changes = outcome_days.changes + 1"
)


class PutOutcomes(NamedTuple):
    """What became of some rows."""

    new: list[OutcomeRow]
    changed: list[tuple[OutcomeRow, OutcomeRow]]
    """Each as it was, and as it is; those that nobody told, but a settlement places, included."""
    told: list[OutcomeRow]
    """All that were told, as they are."""
    changes: int
    """How many of the rows changed what was known before them."""


def compare(connection: sa.Connection, account_id: str, rows: Sequence[OutcomeRow]) -> PutOutcomes:
    """What keeping rows would change."""
    known = by_names(connection, account_id, dict.fromkeys(each.name for each in rows))
    current, changed = dict(known), Counter[bool]()
    for each in rows:
        before = current.get(each.name)
        after = each if before is None else retold(before, each)
        changed[before is not None and after is not before] += 1
        current[each.name] = after
    told = list(current)
    settled = [each for each in current.values() if each.kind is OutcomeKind.SETTLED and each.arn]
    waiting = _unplaced(connection, account_id, [each.arn for each in settled if each.arn])
    known = waiting | known
    placed = _placed(connection, account_id, waiting | current, settled)
    changed[True] += sum(current.get(name) is known.get(name) for name in placed if name in told)
    current |= placed
    return PutOutcomes(
        [each for name, each in current.items() if name not in known],
        [
            (known[name], each)
            for name, each in current.items()
            if each is not known.get(name, each)
        ],
        [current[name] for name in told],
        changed[True],
    )


def _unplaced(
    connection: sa.Connection, account_id: str, arns: Sequence[str]
) -> dict[OutcomeName, OutcomeRow]:
    """What was told without saying where it counts, by the ARNs of settlements."""
    if not arns:
        return {}
    lacks = _O.merchant_id.is_(None) | _O.region.is_(None) | (_O.network == OutcomeNetwork.OTHER)
    mine = sa.and_(_O.account_id == account_id, _NOT_SETTLED, lacks)
    found = rows_of_any(connection, sa.select(*_COLUMNS), _O.arn, arns, mine)
    return {row.name: row for row in map(row_in, found)}


def _placed(
    connection: sa.Connection,
    account_id: str,
    given: Mapping[OutcomeName, OutcomeRow],
    settled: Sequence[OutcomeRow],
) -> dict[OutcomeName, OutcomeRow]:
    """Those that do not say where they count, as the settlements with their ARNs say, if these
    agree.
    """
    unplaced = {
        name: each
        for name, each in given.items()
        if each.arn
        and each.kind is not OutcomeKind.SETTLED
        and (None in (each.merchant_id, each.region) or each.network is OutcomeNetwork.OTHER)
    }
    if not unplaced:
        return {}
    arns = list({each.arn: None for each in unplaced.values() if each.arn})
    mine = sa.and_(_O.account_id == account_id, _O.kind == OutcomeKind.SETTLED)
    stored = map(row_in, rows_of_any(connection, sa.select(*_COLUMNS), _O.arn, arns, mine))
    said: defaultdict[tuple[str | None, str], set[str]] = defaultdict(set)
    for each in (*stored, *settled):
        for name in _PLACE:
            if (value := getattr(each, name)) not in (None, OutcomeNetwork.OTHER):
                said[each.arn, name].add(value)
    found = {}
    for key, each in unplaced.items():
        place = {
            name: next(iter(said[each.arn, name]))
            for name in _PLACE
            if getattr(each, name) in (None, OutcomeNetwork.OTHER)
            and len(said[each.arn, name]) == 1
        }
        if place:
            found[key] = msgspec.structs.replace(each, **place)
    return found


def put(connection: sa.Connection, account_id: str, rows: Sequence[OutcomeRow]) -> PutOutcomes:
    """Keep rows, each in place of what its reference said before."""
    found = compare(connection, account_id, rows)
    replace(connection, account_id, [after for _, after in found.changed])
    _insert(connection, found.new)
    # One that is told again may have happened on another day.
    earlier = (before for before, _ in found.changed)
    note_changes(connection, account_id, (each.at_ms for each in (*earlier, *found.new)))
    return found


def replace(connection: sa.Connection, account_id: str, rows: Sequence[OutcomeRow]) -> None:
    """Keep rows in place of those of the same names."""
    by_kind: dict[OutcomeKind, list[str]] = {}
    for each in rows:
        by_kind.setdefault(each.kind, []).append(each.reference)
    for kind, references in by_kind.items():
        these = is_any_of(connection, _O.reference, references)
        mine = (_O.account_id == account_id, _O.kind == kind.value)
        connection.execute(OUTCOMES.delete().where(*mine, these))
    _insert(connection, rows)
    note_changes(connection, account_id, (each.at_ms for each in rows))


def note_changes(connection: sa.Connection, account_id: str, moments_ms: Iterable[int]) -> None:
    """Note that outcomes of some moments changed, for all who keep what they counted of a day."""
    days = sorted({at_ms // DAY_MS for at_ms in moments_ms})
    if days:
        connection.execute(_NOTE_CHANGE, [{"account_id": account_id, "day": day} for day in days])


def changes_of_days(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> dict[int, int]:
    """How often each day between two moments changed, by its first moment."""
    within = (_DAY.day >= since_ms // DAY_MS, _DAY.day * DAY_MS < until_ms)
    query = sa.select(_DAY.day, _DAY.changes).where(_DAY.account_id == account_id, *within)
    return {day * DAY_MS: changes for day, changes in connection.execute(query)}


def by_names(
    connection: sa.Connection, account_id: str, names: Iterable[OutcomeName]
) -> dict[OutcomeName, OutcomeRow]:
    """The rows of some names."""
    by_kind: dict[str, list[str]] = {}
    for kind, reference in names:
        by_kind.setdefault(kind, []).append(reference)
    found: dict[OutcomeName, OutcomeRow] = {}
    for kind, references in by_kind.items():
        these = is_any_of(connection, _O.reference, references)
        query = sa.select(*_COLUMNS).where(_O.account_id == account_id, _O.kind == kind, these)
        found |= {(kind, row.reference): row_in(row) for row in connection.execute(query)}
    return found


def of_requests(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[OutcomeRow]:
    """What became of some requests, oldest first."""
    query = sa.select(*_COLUMNS).order_by(_O.at_ms, _O.kind, _O.reference)
    mine = _O.account_id == account_id
    found = rows_of_any(connection, query, _O.request_id, request_ids, mine)
    return [row_in(row) for row in found]


def disputes(
    connection: sa.Connection, account_id: str, limit: int, *, is_open: bool
) -> list[OutcomeRow]:
    """Disputes of an account: open ones by their deadline, those that have ended newest first."""
    query = sa.select(*_COLUMNS).where(
        _O.account_id == account_id,
        _O.kind == OutcomeKind.DISPUTE.value,
        _O.result.is_(None) if is_open else _O.result.is_not(None),
    )
    by_deadline = (_O.respond_by_ms.is_(None), _O.respond_by_ms, _O.at_ms, _O.reference)
    ordered = query.order_by(*by_deadline) if is_open else query.order_by(_O.at_ms.desc())
    return [row_in(row) for row in connection.execute(ordered.limit(limit))]


def requests_by_arn(
    connection: sa.Connection, account_id: str, arns: Sequence[str]
) -> dict[str, list[str]]:
    """The decisions that outcomes with these ARNs are about."""
    these = is_any_of(connection, _O.arn, arns)
    query = sa.select(_O.arn, _O.request_id).where(
        _O.account_id == account_id, these, _O.request_id.is_not(None)
    )
    found: dict[str, list[str]] = {}
    for arn, request_id in connection.execute(query.distinct()):
        found.setdefault(arn, []).append(request_id)
    return found


def not_joined(
    connection: sa.Connection, account_id: str, arns: Sequence[str] | None, limit: int
) -> list[OutcomeRow]:
    """Outcomes without a decision, newest first, all or those with some ARNs.

    Settlements are not among them, nor those of which a person said that they have none.
    """
    waits = sa.and_(_O.account_id == account_id, NOT_JOINED, _O.joined_by.is_(None))
    query = sa.select(*_COLUMNS)
    if arns is not None:
        found = [row_in(row) for row in rows_of_any(connection, query, _O.arn, arns, waits)]
        return sorted(found, key=lambda each: (-each.at_ms, *each.name))[:limit]
    ordered = query.where(waits).order_by(_O.at_ms.desc(), _O.kind, _O.reference).limit(limit)
    return [row_in(row) for row in connection.execute(ordered)]


def listing(
    connection: sa.Connection,
    account_id: str,
    kind: OutcomeKind | None,
    joined: bool | None,
    page: tuple[tuple[int, str, str] | None, int],
) -> list[OutcomeRow]:
    """Outcomes, newest first; a page begins after another one and has at most so many."""
    after, limit = page
    query = sa.select(*_COLUMNS).where(_O.account_id == account_id)
    if kind is not None:
        query = query.where(_O.kind == kind.value)
    if joined is not None:
        query = query.where(_O.request_id.is_not(None) if joined else NOT_JOINED)
    elif kind not in (None, OutcomeKind.SETTLED):
        query = query.where(_NOT_SETTLED)
    if after is not None:
        at_ms, *name = after
        later = sa.tuple_(_O.kind, _O.reference) > sa.tuple_(*name)
        query = query.where((_O.at_ms < at_ms) | ((_O.at_ms == at_ms) & later))
    ordered = query.order_by(_O.at_ms.desc(), _O.kind, _O.reference).limit(limit)
    return [row_in(row) for row in connection.execute(ordered)]


def row_in(row: Any) -> OutcomeRow:
    """A row of the database as a struct."""
    return struct_from(row, OutcomeRow)


def _insert(connection: sa.Connection, rows: Sequence[OutcomeRow]) -> None:
    """Add rows. With so many columns SQLite reads values far more quickly than JSON: 28 µs a row,
    its indexes included, and not 60.
    """
    if rows and connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_INSERT, [msgspec.structs.astuple(each) for each in rows])
    else:
        insert_rows(connection, OUTCOMES, rows)
