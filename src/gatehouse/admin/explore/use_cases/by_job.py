"""Use cases: decisions in groups for programs, counted by a job on a copy that it makes."""

from typing import TYPE_CHECKING, Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.decisions.use_cases.masking import PERSONAL_SIGNALS
from gatehouse.admin.explore.types import ExplorationRequest
from gatehouse.admin.jobs.types import ExploreOrder, JobKind, JobResponse
from gatehouse.admin.jobs.use_cases import shown_job, start_job
from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.core.cards.redaction import holds_card_number
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.spans import read_span
from gatehouse.core.wording.sentences import Phrase
from gatehouse.figures.buckets import FigureSpan, zone_of
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case

if TYPE_CHECKING:
    from gatehouse.figures.column_filter import ColumnFilter
    from gatehouse.figures.exploration import Exploration

# Servers start without the engine of columns and the parser of conditions.
_PERSONAL: Final = Phrase(
    "refused.explore_personal",
    "{name} tells of a person, and the result of a job is kept; the console and the command can "
    "use it",
)
_CARD: Final = Phrase(
    "refused.explore_card",
    "something in it looks like a card number, and what a job is asked is kept",
)

DEFAULT_DAYS: Final = 30


@use_case(
    "POST /explorations",
    scope="manage:rules",
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    answers="jobResponse",
)
def start_exploration(
    session: AdminSession, account_id: str, given: ExplorationRequest
) -> JobResponse:
    """Count decisions in groups.

    Starts a job that counts decisions by one signal or by two: how many, what became of them,
    fraud, money, and how many in each part of the span. Signals that tell of a person, and custom
    inputs, are left to the console and the command.
    """
    if holds_card_number(msgspec.json.encode(given).decode()):
        raise InvalidInput(_CARD())
    span = read_span(given.since, given.until, session.clock(), DEFAULT_DAYS)
    # Mistakes are told now, not by a job that fails.
    FigureSpan(*span, given.time_zone)
    zone_of(given.time_zone)
    order = ExploreOrder(given, *span)
    _wanted(session, account_id, order)
    return shown_job(start_job(session, account_id, JobKind.EXPLORATION, order))


def explore_by_order(session: AdminSession, account_id: str, order: ExploreOrder) -> "Exploration":
    """Count on a copy of so much as is asked for, which is removed afterwards."""
    from gatehouse.admin.figures.use_cases.opening import columns_for_now
    from gatehouse.figures.exploring import Grouping, count_groups

    given, wanted = order.given, _wanted(session, account_id, order)
    grouping = Grouping(given.by, given.also, given.groups)
    span = FigureSpan(order.since_ms, order.until_ms, given.time_zone)
    home, since_ms = session.settings.home, order.since_ms
    with columns_for_now(session, account_id, home, since_ms) as columns:
        return count_groups(columns, grouping, span, wanted)


def _wanted(session: AdminSession, account_id: str, order: ExploreOrder) -> "ColumnFilter":
    """What the copy is asked for; nothing that tells of a person."""
    from gatehouse.admin.search.use_cases.conditions import AddressedConditions
    from gatehouse.figures.column_filter import ColumnFilter
    from gatehouse.figures.dimensions import FACTS, grouping_signal

    given = order.given
    names = [each for each in (given.by, given.also) if each is not None]
    found = AddressedConditions(session, account_id).filter(given.where, names=names)
    for name in (*names, *(each for one in found.conditions for each in one.signals)):
        if name in PERSONAL_SIGNALS or name.startswith(CUSTOM):
            raise InvalidInput(_PERSONAL(name=name))
        if name not in FACTS:
            grouping_signal(name, found.inputs)
    return ColumnFilter(
        conditions=found.conditions,
        inputs=found.inputs,
        since_ms=order.since_ms,
        until_ms=order.until_ms,
        outcomes=tuple(given.decision),
        operations=tuple(given.operation),
        rules=tuple(given.rule),
        shadow_rules=tuple(given.shadow_rule),
    )
