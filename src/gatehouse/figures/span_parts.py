"""Which part of a span a decision belongs to, as a table that DuckDB joins.

Every border of an hour or a day, in every time zone of today, is a border between quarters of an
hour. So each quarter belongs to one part, and a decision is found by its quarter.
"""

from typing import Final

from gatehouse.figures.buckets import Borders
from gatehouse.figures.engine import ColumnConnection

_QUARTER_MS: Final = 900_000
OF_PART: Final = f"quarter = id_ms // {_QUARTER_MS}"
"""What a decision and its part have in common."""


def put_parts(asking: ColumnConnection, table: str, borders: Borders, until_ms: int) -> None:
    """Make a temporary table with the start of the part of every quarter."""
    first, last = borders.starts[0] // _QUARTER_MS, until_ms // _QUARTER_MS
    asking.ask(
        f"CREATE TEMP TABLE {table} AS SELECT quarter, start FROM "  # noqa: S608  # numbers only
        f"(SELECT unnest(range({first}, {last} + 1)) AS quarter) AS quarters ASOF JOIN "
        f"(SELECT unnest({borders.starts}::BIGINT[]) AS start) AS borders "
        f"ON greatest(quarter * {_QUARTER_MS}, {borders.starts[0]}) >= start"
    )
