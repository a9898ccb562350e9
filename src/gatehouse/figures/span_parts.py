"""Which part of a span a decision belongs to, as a table that DuckDB joins.

Every border of an hour or a day, in every time zone of today, is a border between quarters of an
hour. So each quarter belongs to one part, and a decision is found by its quarter. Only a span that
begins or ends within a quarter shares it with its neighbour.
"""

from collections.abc import Sequence
from typing import Final

from gatehouse.decisions.record import IMPORTED
from gatehouse.figures.buckets import Part
from gatehouse.figures.engine import ColumnConnection

_QUARTER_MS: Final = 900_000
MADE_HERE: Final = f"operation <> '{IMPORTED}'"
"""What holds for decisions that are no orders of an imported past."""
OF_PART: Final = f"quarter = id_ms // {_QUARTER_MS} AND id_ms >= start AND id_ms < until"
"""What a decision and its part have in common."""


def put_parts(asking: ColumnConnection, table: str, parts: Sequence[Part]) -> None:
    """Make a temporary table with the part of every quarter."""
    starts, ends = map(list, zip(*parts, strict=True))
    asking.ask(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT start, until, unnest(range("  # noqa: S608  # numbers only
        f"start // {_QUARTER_MS}, (until - 1) // {_QUARTER_MS} + 1)) AS quarter FROM "
        f"(SELECT unnest({starts}::BIGINT[]) AS start, unnest({ends}::BIGINT[]) AS until)"
    )


def within_parts(asking: ColumnConnection, rows: str, parts: Sequence[Part]) -> str:
    """The decisions of a table that belong to some parts, as what follows FROM."""
    put_parts(asking, "parts", parts)
    first, last = min(part[0] for part in parts), max(part[1] for part in parts)
    within = f"id_ms >= {first} AND id_ms < {last} AND {MADE_HERE}"
    return f"{rows} JOIN parts ON {OF_PART} WHERE {within}"
