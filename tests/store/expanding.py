"""What a migration does, seen without a database, and what of it breaks servers that run."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from gatehouse.store.weaker_checks import WeakerCheck

ALLOWED = {"create_table", "add_column", "create_index"}
QUICK = {"holds", "payment_operations", "provider_notifications"}
"""Tables that have few rows however long an installation runs, or that no check writes to. All
that writes to a table waits while an index on it is made; add a table here if that is a moment."""


class Operation(NamedTuple):
    """One call of Alembic."""

    name: str
    given: tuple[Any, ...]
    options: dict[str, Any]


class Operations:
    """Takes the place of `alembic.op` in a migration, and only notes what it is told."""

    def __init__(self) -> None:
        self.noted: list[Operation] = []

    def __getattr__(self, name: str) -> Callable[..., "Operations"]:
        def note(*given: Any, **options: Any) -> "Operations":
            self.noted.append(Operation(name, given, options))
            return self

        return note

    def __enter__(self) -> "Operations":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing: a batch has ended."""


def breaks(noted: list[Operation]) -> Iterator[str]:
    """Why servers of the revision before would not go on working."""
    new = {str(each.given[0]) for each in noted if each.name == "create_table"}
    for each in noted:
        if each.name == "invoke" and isinstance(each.given[0], WeakerCheck):
            continue
        if each.name not in ALLOWED:
            yield f"{each.name} does more than add"
        elif each.name == "add_column" and each.given[0] not in new:
            yield from _of_column(*each.given[:2])
        elif each.name == "create_index" and each.given[1] not in new:
            yield from _of_index(*each.given[:2], unique=bool(each.options.get("unique")))


def _of_column(table: str, column: "sa.Column[Any]") -> Iterator[str]:
    if not column.nullable and column.server_default is None:
        yield f"{table}.{column.name} must have a value, and servers of before give none"
    if column.unique:
        yield f"{table}.{column.name} is unique, and its index is made while requests wait"
    if column.index and table not in QUICK:
        yield f"requests wait while the index of {table}.{column.name} is made"


def _of_index(name: str, table: str, *, unique: bool) -> Iterator[str]:
    if unique:
        yield f"{name} refuses what servers of before write to {table}"
    if table not in QUICK:
        yield f"requests wait while {name} is made on {table}"
