"""Reads how the orders were decided that a month's events are about."""

from collections.abc import Sequence
from typing import Final

from gatehouse.admin.outcomes.use_cases.counting import newest_events
from gatehouse.admin.programmes.types.causes import (
    UNKNOWN,
    EventCause,
    JudgedOrder,
    PassedBy,
    causes_of,
)
from gatehouse.core.months import CalendarMonth
from gatehouse.core.rights import Right
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.record_facts import RecordFacts, facts_of
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.decisions import record_changes, records
from gatehouse.store.decisions.review_events import ReviewState

MOST_EVENTS: Final = 5000
"""So many events are looked at, the newest: each needs the record of its decision."""
_AT_ONCE: Final = 500
_REVIEWED: Final = {
    ReviewState.APPROVED: PassedBy.PERSON,
    ReviewState.OPEN: PassedBy.NOT_REVIEWED,
    ReviewState.DECLINED: PassedBy.IN_SPITE,
}


def causes_in(reading: Reading, account_id: str, month: CalendarMonth) -> list[EventCause]:
    """What let through the orders of a month's events, the most frequent first.

    None of it for an actor that may not read decisions.
    """
    if not reading.session.actor.may(Right.DECISIONS):
        return []
    span = month.since_ms, month.until_ms
    events = newest_events(reading, account_id, span, MOST_EVENTS)
    ids = list(dict.fromkeys(each.request_id for each in events if each.request_id is not None))
    judged: dict[str, JudgedOrder] = {}
    for start in range(0, len(ids), _AT_ONCE):
        judged |= _judged(reading, account_id, ids[start : start + _AT_ONCE])
    return causes_of((each, judged.get(each.request_id or "", UNKNOWN)) for each in events)


def _judged(
    reading: Reading, account_id: str, request_ids: Sequence[str]
) -> dict[str, JudgedOrder]:
    reviews = record_changes.review_states(reading.connection, account_id, request_ids)
    prints = reading.session.fingerprints
    return {
        each.request_id: _judged_order(facts_of(each.text), reviews.get(each.request_id))
        for each in records.by_ids(reading.connection, account_id, request_ids, prints)
    }


def _judged_order(facts: RecordFacts, review: str | None) -> JudgedOrder:
    decision = None if facts.outcome is None else Outcome(facts.outcome)
    if review is not None:
        passed_by = _REVIEWED[ReviewState(review)]
    elif decision is Outcome.DECLINE:
        passed_by = PassedBy.IN_SPITE
    elif facts.matched:
        passed_by = PassedBy.RULES
    else:
        passed_by = PassedBy.NO_RULE if facts.rule_sets else PassedBy.NO_RULES_ASKED
    # A rule is the same one in every version of its set.
    names = (each.split("/", 2) for each in facts.matched)
    return JudgedOrder(passed_by, decision, tuple(f"{name}/{rule}" for name, _, rule in names))
