"""Decision records and what they are found by in partitions of a month each, on PostgreSQL.

Request ids begin with their time, so a month is a range of ids. The table of before stays as the
partition of all that is older than the first month. A check on it proves to PostgreSQL that none of
its rows belongs into a month, so that no change here has to read it while requests wait.
"""

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.store.counting import count_rows
from gatehouse.store.tables import DECISIONS, SEARCH_ENTRIES, SEARCH_WAITING

TABLES: Final = (DECISIONS, SEARCH_ENTRIES)
MONTHS_AHEAD: Final = 3
FEWEST_AHEAD: Final = 2
"""With fewer than these, none could be made for a month."""
LOCK_MS: Final = 1000
"""How long a change of a table may wait for a lock."""
_D: Final = DECISIONS.c
_DAY_MS: Final = 86_400_000
_LEAST_AHEAD_MS: Final = 3 * _DAY_MS
"""Until the first month begins: the table of before is read meanwhile, which can take hours."""
CHECK: Final = "before_the_first_month"
_LIMIT: Final = re.compile(r"'(req_\w+)'")
_BEFORE: Final = "_before"


class Month(NamedTuple):
    """One month of UTC."""

    year: int
    number: int

    @classmethod
    def of(cls, at_ms: int) -> "Month":
        """The month of a moment."""
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
        return cls(moment.year, moment.month)

    @property
    def next(self) -> "Month":
        """The month after it."""
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    @property
    def start_ms(self) -> int:
        """When it begins."""
        return int(datetime(self.year, self.number, 1, tzinfo=UTC).timestamp() * 1000)

    @property
    def first_day(self) -> str:
        """Its first day, as people write it."""
        return f"{self.year:04}-{self.number:02}-01"

    @property
    def first(self) -> str:
        """What every request id of it is above."""
        return first_id("req", self.start_ms)

    def months_until(self, other: "Month") -> int:
        """How many months later another one is; less than none if it is earlier."""
        return (other.year - self.year) * 12 + other.number - self.number

    def name(self, table: sa.Table) -> str:
        """What the partition of a table is called."""
        return f"{table.name}_{self.year:04}_{self.number:02}"


def is_partitioned(connection: sa.Connection) -> bool:
    """Whether the tables are in partitions; those of SQLite never are."""
    if connection.dialect.name == "sqlite":
        return False
    kind = sa.text("SELECT relkind FROM pg_class WHERE oid = to_regclass('decisions')")
    return connection.scalar(kind) in ("p", b"p")


def first_month(connection: sa.Connection, now_ms: int) -> Month:
    """The month with which partitions can begin: the next, or this one if there is nothing yet."""
    this = Month.of(now_ms)
    if not any(connection.scalar(sa.select(sa.exists(sa.select(one)))) for one in TABLES):
        return this
    return this.next if this.next.start_ms - now_ms > _LEAST_AHEAD_MS else this.next.next


def add_checks(connection: sa.Connection, first: Month) -> None:
    """Promise that nothing in the tables is of the first month or later; old rows are not read."""
    for table in TABLES:
        _drop_check(connection, table.name)
        _run(
            connection,
            f"ALTER TABLE {table.name} ADD CONSTRAINT {CHECK} "
            f"CHECK (request_id < '{first.first}') NOT VALID",
        )


def refused_from(connection: sa.Connection) -> Month | None:
    """The month from which on a check refuses records of tables that are not in partitions yet.

    None if they have no check, as is usual; one stays when a partitioning was killed.
    """
    if connection.dialect.name == "sqlite":
        return None
    found = sa.text(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :check "
        "AND conrelid IN (to_regclass(:decisions), to_regclass(:entries))"
    )
    names = {"check": CHECK, "decisions": DECISIONS.name, "entries": SEARCH_ENTRIES.name}
    limits = [_LIMIT.search(each) for each in connection.scalars(found, names)]
    return min((Month.of(id_time_ms(each[1])) for each in limits if each), default=None)


def validate_checks(connection: sa.Connection) -> None:
    """Read all rows to prove the promise; requests go on meanwhile."""
    for table in TABLES:
        _run(connection, f"ALTER TABLE {table.name} VALIDATE CONSTRAINT {CHECK}")


def drop_checks(connection: sa.Connection) -> None:
    """Take the promise back."""
    for table in TABLES:
        _drop_check(connection, table.name)


def put_into_partitions(connection: sa.Connection, first: Month) -> None:
    """Make each table the partition of all that is before the first month of a new one."""
    for table in TABLES:
        name, before = table.name, f"{table.name}{_BEFORE}"
        _run(connection, f"ALTER TABLE {name} RENAME TO {before}")
        _run(connection, f"ALTER TABLE {before} RENAME CONSTRAINT {name}_pkey TO {before}_pkey")
        for each in table.indexes:
            _run(connection, f"ALTER INDEX {each.name} RENAME TO {each.name}{_BEFORE}")
        _run(
            connection,
            f"CREATE TABLE {name} (LIKE {before} INCLUDING DEFAULTS INCLUDING STORAGE, "
            f"CONSTRAINT {name}_pkey PRIMARY KEY ({', '.join(c.name for c in table.primary_key)})) "
            "PARTITION BY RANGE (request_id)",
        )
        for each in table.indexes:
            each.create(connection)
        _run(connection, f"ALTER TABLE {name} ATTACH PARTITION {before} DEFAULT")
    make_months(connection, first, first)


def make_months(connection: sa.Connection, first: Month, now: Month) -> list[Month]:
    """Make the months from the first up to some months ahead that are not there yet."""
    last = now
    for _ in range(MONTHS_AHEAD):
        last = last.next
    there, made, month = set(months(connection)), [], first
    while month <= last:
        if month not in there:
            for table in TABLES:
                # Attached and not created as a part: that does not lock the whole table.
                part = month.name(table)
                _run(connection, f"CREATE TABLE {part} (LIKE {table.name} INCLUDING ALL)")
                _run(
                    connection,
                    f"ALTER TABLE {table.name} ATTACH PARTITION {part} "
                    f"FOR VALUES FROM ('{month.first}') TO ('{month.next.first}')",
                )
            made.append(month)
        month = month.next
    return made


def months(connection: sa.Connection) -> list[Month]:
    """The months that have partitions, oldest first."""
    parts = sa.text(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = to_regclass(:name)"
    )
    names = connection.scalars(parts, {"name": DECISIONS.name})
    ends = (name.removeprefix(f"{DECISIONS.name}_").split("_") for name in names)
    return sorted(Month(int(end[0]), int(end[1])) for end in ends if len(end) == 2)


def months_ahead(connection: sa.Connection, now_ms: int) -> int | None:
    """How many months after this one have partitions; None if there are no partitions."""
    if not is_partitioned(connection):
        return None
    return Month.of(now_ms).months_until(months(connection)[-1])


def months_before(connection: sa.Connection, before: str) -> list[Month]:
    """The months of which every request id is below this one."""
    limit_ms = id_time_ms(before)
    return [each for each in months(connection) if each.next.start_ms <= limit_ms]


def count_month(connection: sa.Connection, month: Month) -> int:
    """How many decision records a month has."""
    connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
    here = _D.request_id >= month.first, _D.request_id < month.next.first
    return count_rows(connection, DECISIONS, *here)


def drop_month(connection: sa.Connection, month: Month) -> None:
    """Drop all decision records of a month, with what they are found by."""
    waiting = SEARCH_WAITING.c.request_id
    connection.execute(
        SEARCH_WAITING.delete().where(waiting >= month.first, waiting < month.next.first)
    )
    # All requests wait behind a table that waits for its lock.
    _run(connection, f"SET LOCAL lock_timeout = {LOCK_MS}")
    for table in TABLES:
        _run(connection, f"DROP TABLE {month.name(table)}")


def _drop_check(connection: sa.Connection, name: str) -> None:
    _run(connection, f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {CHECK}")


def _run(connection: sa.Connection, statement: str) -> None:
    connection.execute(sa.text(statement))
