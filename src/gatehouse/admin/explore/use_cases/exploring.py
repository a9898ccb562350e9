"""Use case: decisions that filters find, in groups by one signal or by two."""

from typing import Final

import msgspec

from gatehouse.admin.search.use_cases.decisions import DecisionFinder
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.admin.search.use_cases.sources import listed
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.search_terms import micros_of
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.buckets import FigureSpan
from gatehouse.figures.column_filter import ColumnFilter
from gatehouse.figures.dimensions import FACTS
from gatehouse.figures.exploration import Exploration, ExploredGroup, GroupFigures, GroupKey
from gatehouse.figures.exploring import MOST_GROUPS, MOST_OF_A_PAIR, Grouping, count_groups
from gatehouse.store.admin.admin_session import AdminSession

# What faces need.
__all__ = [
    "FACTS",
    "MOST_GROUPS",
    "MOST_OF_A_PAIR",
    "Exploration",
    "ExploredGroup",
    "GroupFigures",
    "GroupKey",
    "Grouping",
]

_TOO_MANY: Final = Phrase(
    "refused.explore_many",
    "these filters find more than {most} decisions, which is too many for {names}; take a shorter "
    "span, or leave these filters out",
)

MOST_FOUND: Final = 10_000
"""Decisions that are found by what only the index of searches has."""
_AT_ONCE: Final = 1_000
_IN_COLUMNS: Final = frozenset(
    ("decision", "operation", "rule", "shadow_rule", "amount", "at", "limit", "cursor")
)


def explore(
    session: AdminSession,
    columns: AccountColumns,
    grouping: Grouping,
    span: FigureSpan,
    search: DecisionSearchRequest,
    conditions: ColumnFilter | None = None,
) -> Exploration:
    """The decisions of a span that a search and conditions find, in groups.

    Each group tells how many there are, what became of them, what they come to, and the trend.
    """
    session.actor.check_reads(columns.account_id)
    wanted = _filter(search, span, conditions or ColumnFilter())
    others = _others(search)
    if others:
        ids = _found(session, columns.account_id, search, others)
        wanted = msgspec.structs.replace(wanted, request_ids=ids)
    return count_groups(columns, grouping, span, wanted)


def _filter(
    search: DecisionSearchRequest, span: FigureSpan, conditions: ColumnFilter
) -> ColumnFilter:
    """What the columns know of a search."""

    def several(value: object) -> tuple[str, ...]:
        return () if value is None else tuple(str(each) for each in listed(value))

    amount = search.amount
    ends = () if amount is None else (amount.least, amount.most)
    least, most = (None if end is None else micros_of(end) for end in ends or (None, None))
    return msgspec.structs.replace(
        conditions,
        since_ms=span.since_ms,
        until_ms=span.until_ms,
        outcomes=several(search.decision),
        operations=several(search.operation),
        rules=several(search.rule),
        shadow_rules=several(search.shadow_rule),
        currency=None if amount is None else amount.currency.upper(),
        least_micros=least,
        most_micros=most,
    )


def _others(search: DecisionSearchRequest) -> list[str]:
    """The filters that only the index of searches knows."""
    given = (name for name in search.__struct_fields__ if getattr(search, name) is not None)
    return [name for name in given if name not in _IN_COLUMNS]


def _found(
    session: AdminSession, account_id: str, search: DecisionSearchRequest, others: list[str]
) -> tuple[str, ...]:
    find, found, cursor = DecisionFinder(session, account_id, search), list[str](), None
    while True:
        page = find.ids(cursor, _AT_ONCE)
        found += page.request_ids
        cursor = page.next_cursor
        if len(found) > MOST_FOUND:
            names = dict(
                zip(search.__struct_fields__, search.__struct_encode_fields__, strict=True)
            )
            told = ", ".join(names[each] for each in others)
            raise InvalidInput(_TOO_MANY(most=MOST_FOUND, names=told))
        if cursor is None:
            return tuple(found)
