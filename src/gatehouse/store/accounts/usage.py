"""Counts an account's requests by day and operation, key, pipeline or tag; the database adds up."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import ActorKind
from gatehouse.billing.ledger import STEP_OPEN, EntryKind
from gatehouse.billing.statement import DAY_MS, Period, UsageBy
from gatehouse.core.ids import first_id
from gatehouse.decisions.record import IMPORTED
from gatehouse.store.tables import DECISIONS, LEDGER_ENTRIES, NOT_A_HOLD

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_D: Final = DECISIONS.c
_E: Final = LEDGER_ENTRIES.c
_OPENED: Final = LEDGER_ENTRIES.alias("opened")
_BY_KEY: Final = f"{ActorKind.KEY}:"
_TAG: Final = "custom.tag"
"""The signal of the custom input that requests are told apart by."""
_AT_ONCE: Final = 1000
# The names of signals and their values are two lists in the same order.
_TAGS: Final = {
    "sqlite": """(
        SELECT CASE given.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
               ELSE json_quote(given.atom) END
        FROM json_each(decisions.record, '$.signals[1]') AS place
        JOIN json_each(decisions.record, '$.signals[2]') AS given ON given.key = place.key
        WHERE place.value = 'custom.tag')""",
    "postgresql": """(
        SELECT (decisions.record::json #> '{signals,2}' -> (place.number - 1)::int)::text
        FROM json_array_elements_text(decisions.record::json #> '{signals,1}')
             WITH ORDINALITY AS place(name, number)
        WHERE place.name = 'custom.tag')""",
}


class UsageLine(msgspec.Struct, frozen=True):
    """The requests of one operation on one day."""

    day: date
    operation: str
    requests: int
    charged: int
    """In millionths."""


def usage(connection: sa.Connection, account_id: str, period: Period) -> list[UsageLine]:
    """The decided requests of a period by day and operation."""
    closed = (
        (_E.account_id == _D.account_id)
        & (_E.reference == _D.request_id)
        & (_E.kind == EntryKind.CLOSE.value)
    )
    # Named in a query of their own: what is grouped by must be the same expression everywhere.
    each = (
        sa.select(
            (_D.at_ms // DAY_MS).label("day"),
            _D.operation,
            sa.func.coalesce(-_E.amount, 0).label("charged"),
        )
        .select_from(DECISIONS.outerjoin(LEDGER_ENTRIES, closed))
        .where(_D.account_id == account_id)
        .where(_D.request_id >= first_id("req", period.start_ms))
        .where(_D.request_id < first_id("req", period.end_ms))
        .where(_D.operation != IMPORTED)
        .subquery("each")
    )
    alike = (each.c.day, each.c.operation)
    query = sa.select(*alike, sa.func.count(), sa.func.sum(each.c.charged))
    return [
        UsageLine(date.fromordinal(_EPOCH_DAY + int(day)), operation, requests, int(charged))
        for day, operation, requests, charged in connection.execute(
            query.group_by(*alike).order_by(*alike)
        )
    ]


class UsageGroup(msgspec.Struct, frozen=True):
    """The requests that one key sent, or that have one pipeline or tag."""

    name: str | None
    """Id of the key, number of the pipeline, or the tag; None where there is none."""
    requests: int
    charged: int
    is_rest: bool = False
    """Whether these are all those beyond the largest groups, together."""


def usage_groups(
    connection: sa.Connection, account_id: str, period: Period, by: UsageBy, most: int
) -> list[UsageGroup]:
    """The requests that ended in a period, the largest groups first and the others together.

    Every request that the ledger has is in one group, also if its record was deleted.
    """
    each = _ended(connection, account_id, period, by).subquery("each")
    many = sa.func.count().label("many")
    query = (
        sa.select(each.c.name, many, sa.func.sum(-each.c.amount))
        .group_by(each.c.name)
        .order_by(many.desc(), each.c.name.nulls_first())
    )
    streaming = connection.execution_options(stream_results=True, yield_per=_AT_ONCE)
    return _largest(streaming.execute(query), by, most)


def added_groups(
    parts: Iterable[tuple[str | None, int, int]], by: UsageBy, most: int
) -> list[UsageGroup]:
    """The same out of parts of groups: names, requests and charges that are added up already."""
    requests, charged = Counter[str | None](), Counter[str | None]()
    for name, some, micros in parts:
        requests[name] += some
        charged[name] += micros
    found = [(name, many, charged[name]) for name, many in requests.items()]
    found.sort(key=lambda each: (-each[1], each[0] is not None, each[0]))
    return _largest(found, by, most)


def _largest(rows: Iterable[Any], by: UsageBy, most: int) -> list[UsageGroup]:
    """The first groups, of which the largest come first, and the others together."""
    found: list[UsageGroup] = []
    others, charged_to_others = 0, 0
    for name, requests, charged in rows:
        if len(found) < most:
            found.append(UsageGroup(_shown(name, by), requests, int(charged)))
        else:
            others, charged_to_others = others + requests, charged_to_others + int(charged)
    if others:
        found.append(UsageGroup(None, others, charged_to_others, is_rest=True))
    return found


def _ended(
    connection: sa.Connection, account_id: str, period: Period, by: UsageBy
) -> "sa.Select[Any]":
    """Every request that ended in a period, by what it belongs to."""
    in_time = (_E.at_ms >= period.start_ms, _E.at_ms < period.end_ms)
    not_held = sa.text(f"{LEDGER_ENTRIES.name}.{NOT_A_HOLD}")
    ended = (_E.account_id == account_id, _E.kind == EntryKind.CLOSE.value, *in_time, not_held)
    if by is UsageBy.KEY:
        opened = (
            (_OPENED.c.account_id == _E.account_id)
            & (_OPENED.c.reference == _E.reference)
            & (_OPENED.c.step == STEP_OPEN)
        )
        named = sa.select(_OPENED.c.detail.label("name"), _E.amount)
        return named.select_from(LEDGER_ENTRIES.outerjoin(_OPENED, opened)).where(*ended)
    # A request lasts for less than a day. Its ids say so again for databases with partitions.
    recorded = (
        (_D.account_id == _E.account_id)
        & (_D.request_id == _E.reference)
        & (_D.request_id >= first_id("req", period.start_ms - DAY_MS))
        & (_D.request_id < first_id("req", period.end_ms))
    )
    named = sa.select(_name(connection, by).label("name"), _E.amount)
    return named.select_from(LEDGER_ENTRIES.outerjoin(DECISIONS, recorded)).where(*ended)


def _name(connection: sa.Connection, by: UsageBy) -> sa.ColumnElement[str]:
    """What the record says; most say nothing of it, which is seen without reading them whole."""
    if by is UsageBy.PIPELINE:
        as_json: Any = sa.cast if connection.dialect.name == "postgresql" else sa.type_coerce
        number = as_json(_D.record, sa.JSON)[("pipeline", "id")].as_string()
        return sa.case((_D.record.contains('"pipeline":{'), number))
    value: sa.ColumnElement[str] = sa.literal_column(_TAGS[connection.dialect.name], sa.Text)
    return sa.case((_D.record.contains(f'"{_TAG}"'), value))


def _shown(name: str | None, by: UsageBy) -> str | None:
    if name is None:
        return None
    if by is UsageBy.KEY:
        return name.removeprefix(_BY_KEY) or None
    if by is UsageBy.PIPELINE:
        return str(name)
    value = msgspec.json.decode(name)
    return value if isinstance(value, str) else f"{value:g}" if type(value) is float else name
