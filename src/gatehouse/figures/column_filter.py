"""Which decisions of the copy are wanted: by conditions over signals, and by what else it has."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.conditions.compile_sql import to_sql
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.core.ids import id_time_ms
from gatehouse.core.money import format_amount
from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.layout import CUSTOM_MAPS, LAST_FOUR
from gatehouse.figures.workspace import quoted, text

RULE: Final = "split_part(each, '/', 3)"
"""The name of a rule, of which the copy has rule set, version and name; none has a slash in it."""
_IDS: Final = "wanted_ids"


class ColumnFilter(msgspec.Struct, frozen=True, kw_only=True):
    """All that is given must hold; of several values, one must."""

    conditions: tuple[Condition, ...] = ()
    inputs: Mapping[str, Type] = {}
    """The custom inputs that conditions name, without `custom.`, by type."""
    last_four: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    outcomes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    shadow_rules: tuple[str, ...] = ()
    currency: str | None = None
    least_micros: int | None = None
    most_micros: int | None = None
    request_ids: tuple[str, ...] | None = None
    """Only these; None for any."""

    @property
    def rows(self) -> str:
        """What to select from: decisions, with a column for each custom input."""
        named = dict.fromkeys(name for one in self.conditions for name in one.signals)
        custom = [name for name in named if name.startswith(CUSTOM)]
        if not custom:
            return DECISIONS
        more = ", ".join(f"{self._custom(name)} AS {quoted(name)}" for name in custom)
        return f"(SELECT *, {more} FROM {DECISIONS}) AS {DECISIONS}"  # noqa: S608

    @property
    def sql(self) -> str:
        """What must hold of each row."""
        parts = [to_sql(each) for each in self.conditions]
        if self.last_four is not None:
            parts.append(f"{quoted(LAST_FOUR)} = {text(self.last_four)}")
        if self.since_ms is not None:
            parts.append(f"id_ms >= {self.since_ms}")
        if self.until_ms is not None:
            parts.append(f"id_ms < {self.until_ms}")
        for column, values in (("outcome", self.outcomes), ("operation", self.operations)):
            if values:
                parts.append(f"{column} IN {_listed(values)}")
        for column, names in (("matched", self.rules), ("shadow", self.shadow_rules)):
            if names:
                found = f"list_transform({column}, lambda each: {RULE})"
                parts.append(f"list_has_any({found}, [{', '.join(map(text, names))}])")
        parts += self._amount()
        if self.request_ids is not None:
            parts.append(f"request_id IN (FROM {_IDS})")
        return " AND ".join(parts) or "TRUE"

    def prepare(self, asking: ColumnConnection) -> None:
        """Put what the statement reads beside the decisions."""
        if self.request_ids is not None:
            asking.put(_IDS, {"request_id": "VARCHAR"}, [self.request_ids])

    def _amount(self) -> list[str]:
        if self.currency is None:
            return []
        ends = ((">=", self.least_micros), ("<=", self.most_micros))
        bounds = [f"amount {sign} {format_amount(end)}" for sign, end in ends if end is not None]
        return [f"currency = {text(self.currency)}", *bounds]

    def _custom(self, name: str) -> str:
        kind = self.inputs[name.removeprefix(CUSTOM)]
        return f"{CUSTOM_MAPS[kind]}[{text(name)}]"


class ColumnMatches:
    """The decisions that the copy finds, in the order of their ids, as a search reads them."""

    is_exact = True

    def __init__(self, columns: AccountColumns, wanted: ColumnFilter) -> None:
        self._columns = columns
        self._wanted = wanted

    @property
    def is_complete(self) -> bool:
        """Whether the copy has all decisions but those of the last seconds."""
        return self._columns.coverage.complete

    def read(
        self, after: str | None, before: str | None, limit: int, *, newest_first: bool
    ) -> list[str]:
        """Some ids between two, both excluded."""
        order = "DESC" if newest_first else "ASC"
        tail = f"ORDER BY request_id {order} LIMIT {limit}"
        return [row[0] for row in self._ask("request_id", _between(after, before), tail)]

    def count_up_to(self, after: str | None, before: str | None, most: int) -> int:
        """How many there are between two ids, counted to a limit."""
        return len(self._ask("1", _between(after, before), f"LIMIT {most}"))

    def among(self, request_ids: Sequence[str]) -> set[str]:
        """Those of some ids that are found."""
        if not request_ids:
            return set()
        ends = id_time_ms(min(request_ids)), id_time_ms(max(request_ids))
        these = f"id_ms BETWEEN {ends[0]} AND {ends[1]} AND request_id IN {_listed(request_ids)}"
        return {row[0] for row in self._ask("request_id", [these], "")}

    def _ask(self, what: str, more: Iterable[str], tail: str) -> list[tuple[Any, ...]]:
        held = " AND ".join([*more, self._wanted.sql])
        with self._columns.reading() as asking:
            return asking.ask(f"SELECT {what} FROM {self._wanted.rows} WHERE {held} {tail}")  # noqa: S608


def _between(after: str | None, before: str | None) -> list[str]:
    # Whole blocks are passed over by the time of an id.
    found = []
    if after is not None:
        found.append(f"id_ms >= {id_time_ms(after)} AND request_id > {text(after)}")
    if before is not None:
        found.append(f"id_ms <= {id_time_ms(before)} AND request_id < {text(before)}")
    return found


def _listed(values: Sequence[str]) -> str:
    return f"({', '.join(map(text, values))})"
