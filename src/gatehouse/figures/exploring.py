"""Counts decisions in groups: by anything that the copy has, or by two things at once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.buckets import Borders, FigureSpan
from gatehouse.figures.column_filter import ColumnFilter
from gatehouse.figures.dimensions import Dimension, dimension, in_order
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.exploration import (
    Exploration,
    ExploredGroup,
    GroupFigures,
    GroupKey,
    GroupMoney,
)
from gatehouse.figures.span_parts import OF_PART, put_parts

MOST_GROUPS: Final = 50
MOST_OF_A_PAIR: Final = 12
"""Groups on each side of a table of pairs."""
_OTHERS: Final = GroupKey(others=True)
_FACTS: Final = "outcome, fraud, currency, amount, id_ms"
_ALIKE: Final = "alike"
_MANY: Final = "requests"
_SUMS: Final = {
    _MANY: "count(*)",
    **{
        name: f"count(*) FILTER (WHERE outcome = '{one.value}')"
        for name, one in (
            ("accepted", Outcome.ACCEPT),
            ("reviewed", Outcome.REVIEW),
            ("declined", Outcome.DECLINE),
        )
    },
    "labelled": "count(fraud)",
    "frauds": "count(*) FILTER (WHERE fraud)",
    "total": "sum(amount)",
    "declined_total": "sum(amount) FILTER (WHERE outcome = 'DECLINE')",
    "fraud_total": "sum(amount) FILTER (WHERE fraud)",
}
"""What is counted of decisions that are alike, in the order in which it is read."""


class Grouping(NamedTuple):
    """What decisions are grouped by, and how many groups are told apart."""

    by: str
    also: str | None = None
    groups: int = MOST_OF_A_PAIR


class _Side(NamedTuple):
    """One of the things that decisions are grouped by."""

    dimension: Dimension
    keys: list[str | None]
    """The largest groups, in the order in which they are shown."""

    def key(self, place: int) -> GroupKey:
        """What the decisions of a group have in common."""
        return _OTHERS if place < 0 else self.dimension.key_of(self.keys[place])


def count_groups(
    columns: AccountColumns, grouping: Grouping, span: FigureSpan, wanted: ColumnFilter
) -> Exploration:
    """The decisions that are wanted, in groups."""
    names = [grouping.by] if grouping.also is None else [grouping.by, grouping.also]
    most = min(grouping.groups, MOST_GROUPS if len(names) == 1 else MOST_OF_A_PAIR)
    borders = Borders(span, span.usual_bucket)
    with columns.reading() as asking:
        coverage = columns.coverage
        wanted.prepare(asking)
        put_parts(asking, "parts", borders.parts)
        found = [dimension(asking, name, wanted, most) for name in names]
        rows, every, sides = _count(asking, found, wanted, most)
    total = _GroupTally()
    for _, start, currency, *counts in every:
        total.add(start, currency, counts)
    return Exploration(
        by=grouping.by,
        also=grouping.also,
        since_ms=span.since_ms,
        until_ms=span.until_ms,
        bucket=span.usual_bucket,
        starts_ms=tuple(borders.starts),
        coverage=coverage,
        total=total.figures,
        groups=tuple(_groups(sides, rows, borders)),
    )


class _GroupTally:
    """What is counted for one group."""

    def __init__(self) -> None:
        self.counts = [0] * 6
        self.money: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        self.trend: defaultdict[int, int] = defaultdict(int)

    def add(self, start: int, currency: str | None, row: Sequence[Any]) -> None:
        self.counts = [sum(pair) for pair in zip(self.counts, row, strict=False)]
        self.trend[start] += row[0]
        if currency is not None:
            sums = [int((each or 0) * MICROS_PER_UNIT) for each in row[len(self.counts) :]]
            kept = self.money[currency]
            self.money[currency] = [a + b for a, b in zip(kept, sums, strict=True)]

    @property
    def figures(self) -> GroupFigures:
        """As it is shown."""
        requests, accepted, reviewed, declined, labelled, fraud = self.counts
        money = [GroupMoney(currency, *sums) for currency, sums in self.money.items()]
        return GroupFigures(
            requests=requests,
            accepted=accepted,
            reviewed=reviewed,
            declined=declined,
            labelled=labelled,
            fraud=fraud,
            money=tuple(sorted(money, key=lambda each: (-each.total_micros, each.currency))),
        )


_Rows = list[tuple[Any, ...]]
"""For each group, part of the span and currency: how many, and what they come to."""


def _count(
    asking: ColumnConnection, found: Sequence[Dimension], wanted: ColumnFilter, most: int
) -> tuple[_Rows, _Rows, list[_Side]]:
    """What is in each pair of groups, what there is in all, and the groups of each side."""
    several = [number for number, each in enumerate(found) if each.is_several]
    sides = {
        number: _side(asking, f"{wanted.rows} WHERE {wanted.sql}", each, most, number)
        for number, each in enumerate(found)
        if number not in several
    }
    _count_alike(asking, found, wanted)
    for number in several:
        sides[number] = _side(asking, _ALIKE, found[number], most, number)
    rows = _counted(asking, found)
    # A decision is in several groups where it has several values, and in one otherwise.
    every = _counted(asking, []) if several else rows
    return rows, every, [sides[number] for number in range(len(found))]


def _side(asking: ColumnConnection, rows: str, found: Dimension, most: int, number: int) -> _Side:
    """The largest groups, which are also put where they can be joined with."""
    many = f"sum({_MANY})" if found.is_several else "count(*)"
    kept = f", {_MANY}" if found.is_several else ""
    ranked = asking.ask(
        f"SELECT key, {many} FROM (SELECT {found.sql} AS key{kept} FROM {rows}) "  # noqa: S608
        f"GROUP BY key ORDER BY 2 DESC, key NULLS LAST LIMIT {most}"
    )
    keys = in_order(found, [row[0] for row in ranked])
    types = {"key": "VARCHAR", "place": "INTEGER"}
    asking.put(f"largest_{number}", types, [keys, list(range(len(keys)))])
    return _Side(found, keys)


def _count_alike(
    asking: ColumnConnection, found: Sequence[Dimension], wanted: ColumnFilter
) -> None:
    """Count decisions that are alike in what matters once.

    Few lists of rules or of reasons differ, so that they are taken apart here no more often than
    that.
    """
    plain = [number for number, each in enumerate(found) if not each.is_several]
    lists = [each.column for each in found if each.is_several]
    keys = [f"{found[number].sql} AS key_{number}" for number in plain]
    read = ", ".join([*keys, *lists, _FACTS])
    places = [f"{_place(number)} AS place_{number}" for number in plain]
    joined = "".join(map(_joined, plain))
    asking.ask(
        f"CREATE TEMP TABLE {_ALIKE} AS SELECT {', '.join([*places, *lists, ''])}"  # noqa: S608
        f"start, currency, {', '.join(f'{sql} AS {name}' for name, sql in _SUMS.items())} "
        f"FROM (SELECT {read} FROM {wanted.rows} WHERE {wanted.sql}) "
        f"{joined} LEFT JOIN parts ON {OF_PART} GROUP BY ALL"
    )


def _place(number: int) -> str:
    return f"coalesce(largest_{number}.place, -1)"


def _joined(number: int) -> str:
    largest = f"largest_{number}"
    return f"LEFT JOIN {largest} ON key_{number} IS NOT DISTINCT FROM {largest}.key "


def _counted(asking: ColumnConnection, found: Sequence[Dimension]) -> _Rows:
    """Add up what is alike, by the groups of each side."""
    rows, joined, places = _ALIKE, "", []
    for number, each in enumerate(found):
        if each.is_several:
            # One after another: of two at once, each value would come with one of the other alone.
            rows = f"(SELECT *, {each.sql} AS key_{number} FROM {rows})"  # noqa: S608
            joined += _joined(number)
        places.append(_place(number) if each.is_several else f"place_{number}")
    sums = ", ".join(f"sum({name})" for name in _SUMS)
    return asking.ask(
        f"SELECT [{', '.join(places)}]::INTEGER[] AS groups, start, currency, {sums} "  # noqa: S608
        f"FROM {rows} {joined} GROUP BY ALL"
    )


def _tallied(rows: Iterable[Sequence[Any]]) -> dict[tuple[int, ...], _GroupTally]:
    found: defaultdict[tuple[int, ...], _GroupTally] = defaultdict(_GroupTally)
    for places, start, currency, *counts in rows:
        found[tuple(places)].add(start, currency, counts)
    return found


def _groups(
    sides: Sequence[_Side], rows: Iterable[Sequence[Any]], borders: Borders
) -> Iterator[ExploredGroup]:
    tallies = _tallied(rows)
    # The others have no place of their own, and come last.
    for places in sorted(tallies, key=lambda each: [place % 2**31 for place in each]):
        key, *also = [side.key(place) for side, place in zip(sides, places, strict=True)]
        tally = tallies[places]
        trend = () if also else tuple(tally.trend[start] for start in borders.starts)
        yield ExploredGroup(key, also[0] if also else None, tally.figures, trend)
