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
_PLACE: Final = "coalesce({}.place, -1)"


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
        put_parts(asking, "parts", borders, span.until_ms)
        sides = [
            _side(asking, dimension(asking, name, wanted, most), wanted, most, f"largest_{number}")
            for number, name in enumerate(names)
        ]
        rows = _counted(asking, sides, wanted)
        # A decision is in several groups where it has several values, and in one otherwise.
        is_several = any(side.dimension.is_several for side in sides)
        every = _counted(asking, [], wanted) if is_several else rows
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


def _side(
    asking: ColumnConnection, found: Dimension, wanted: ColumnFilter, most: int, table: str
) -> _Side:
    rows = asking.ask(
        f"SELECT key, count(*) FROM (SELECT {found.sql} AS key FROM {wanted.rows} "  # noqa: S608
        f"WHERE {wanted.sql}) GROUP BY key ORDER BY 2 DESC, key NULLS LAST LIMIT {most}"
    )
    keys = in_order(found, [row[0] for row in rows])
    types = {"key": "VARCHAR", "place": "INTEGER"}
    asking.put(table, types, [keys, list(range(len(keys)))])
    return _Side(found, keys)


def _counted(
    asking: ColumnConnection, sides: Sequence[_Side], wanted: ColumnFilter
) -> list[tuple[Any, ...]]:
    """For each group, part of the span and currency: how many, and what they come to."""
    numbers = range(len(sides))
    keys = "".join(f"{side.dimension.sql} AS key_{n}, " for n, side in enumerate(sides))
    places = ", ".join(_PLACE.format(f"largest_{n}") for n in numbers)
    joined = "".join(
        f"LEFT JOIN largest_{n} ON key_{n} IS NOT DISTINCT FROM largest_{n}.key " for n in numbers
    )
    return asking.ask(
        f"SELECT [{places}]::INTEGER[] AS groups, start, currency, {_sums()} "  # noqa: S608
        f"FROM (SELECT {keys}{_FACTS} FROM {wanted.rows} WHERE {wanted.sql}) "
        f"{joined} LEFT JOIN parts ON {OF_PART} GROUP BY ALL"
    )


def _sums() -> str:
    counted = [
        f"count(*) FILTER (WHERE outcome = '{one.value}')"
        for one in (Outcome.ACCEPT, Outcome.REVIEW, Outcome.DECLINE)
    ]
    counted += ["count(fraud)", "count(*) FILTER (WHERE fraud)", "sum(amount)"]
    counted += [f"sum(amount) FILTER (WHERE {one})" for one in ("outcome = 'DECLINE'", "fraud")]
    return f"count(*), {', '.join(counted)}"


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
