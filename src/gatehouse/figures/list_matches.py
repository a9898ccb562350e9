"""Counts how often requests had a value that was on a list while rules looked there."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from gatehouse.conditions.nodes import Type
from gatehouse.core.api_values import CamelStruct
from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.layout import signal_value
from gatehouse.figures.workspace import text
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.lists import COVERING, ListIndex, Mark

_MOST_VALUES: Final = 100_000
"""Addresses, BINs and domains, the newest first, that are compared with what covers them."""
_TYPES: Final = {
    "value": "VARCHAR",
    "entry": "BIGINT",
    "since_ms": "BIGINT",
    "until_ms": "BIGINT",
}


class LookUp(NamedTuple):
    """A signal that is looked up on the list: by a rule set, or by a pipeline's own conditions."""

    signal: str
    rule_set: str | None = None


class ListedSpan(NamedTuple):
    """An entry, and when it was on the list."""

    value: str
    since_ms: int
    until_ms: int


class EntryMatches(CamelStruct):
    """How often an entry matched lately, and when it did last."""

    recent: int = 0
    last_ms: int | None = None


def count_matches(
    columns: AccountColumns,
    kind: ListKind,
    entries: Sequence[ListedSpan],
    look_ups: Iterable[LookUp],
    since_ms: int,
    mark: Mark | None = None,
) -> list[EntryMatches]:
    """What each entry matched since a moment, and its last match at any time.

    With a mark, entries of people who were erased are found by it.
    """
    by_signal: dict[str, list[str | None]] = {}
    for each in look_ups:
        by_signal.setdefault(each.signal, []).append(each.rule_set)
    found: dict[int, EntryMatches] = {}
    if entries and by_signal:
        with columns.reading() as asking:
            parts = [
                _matching(asking, kind, entries, signal, rule_sets, mark)
                for signal, rule_sets in by_signal.items()
            ]
            # Several signals of one request can match the same entry.
            requests = "*" if len(parts) == 1 else "DISTINCT request_id"
            rows = asking.ask(
                f"SELECT entry, count({requests}) FILTER (WHERE id_ms >= {since_ms}), max(at_ms) "  # noqa: S608
                f"FROM ({' UNION ALL '.join(parts)}) GROUP BY entry"
            )
            found = {entry: EntryMatches(recent, last_ms) for entry, recent, last_ms in rows}
    return [found.get(place, EntryMatches()) for place in range(len(entries))]


def _matching(
    asking: ColumnConnection,
    kind: ListKind,
    entries: Sequence[ListedSpan],
    signal: str,
    rule_sets: Sequence[str | None],
    mark: Mark | None,
) -> str:
    """A query for the requests whose signal matched, with the places of the entries."""
    value = signal_value(signal, Type.TEXT)
    rows = {(each.value, place, *each[1:]) for place, each in enumerate(entries)}
    if mark or kind in COVERING:
        rows = {*_covered(asking, kind, entries, value, mark), *(rows if mark else ())}
    table = f'"looked up {signal}"'
    asking.put(table, _TYPES, list(zip(*rows, strict=True)) or [()] * len(_TYPES))
    return (
        f"SELECT entry, request_id, id_ms, at_ms FROM {DECISIONS} AS d JOIN {table} "  # noqa: S608
        f'ON "value" = {value} WHERE judged AND since_ms <= at_ms AND at_ms < until_ms '
        f"AND {_were_asked(rule_sets)}"
    )


def _covered(
    asking: ColumnConnection,
    kind: ListKind,
    entries: Sequence[ListedSpan],
    value: str,
    mark: Mark | None,
) -> list[tuple[str, int, int, int]]:
    """The values that were sent, each with the entries that cover it."""
    stored: dict[str, list[int]] = {}
    for place, each in enumerate(entries):
        stored.setdefault(each.value, []).append(place)
    find = ListIndex(kind, stored, mark).find
    sent = asking.ask(
        f"SELECT {value} FROM {DECISIONS} AS d WHERE judged AND {value} IS NOT NULL "  # noqa: S608
        f"GROUP BY 1 ORDER BY max(id_ms) DESC LIMIT {_MOST_VALUES}"
    )
    return [
        (one, place, *entries[place][1:])
        for (one,) in sent
        for places in find(one)
        for place in places
    ]


def _were_asked(rule_sets: Sequence[str | None]) -> str:
    """Whether the rules that look there judged the request."""
    named = {each for each in rule_sets if each is not None}
    if len(named) < len(set(rule_sets)):
        return "TRUE"
    begins = " OR ".join(f"starts_with(each, {text(name + '/')})" for name in sorted(named))
    return f"list_bool_or(list_transform(rule_sets, lambda each: {begins}))"
