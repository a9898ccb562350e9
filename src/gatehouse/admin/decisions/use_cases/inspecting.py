"""Use case: show all that is known of one decision."""

import logging
from typing import Final

import msgspec

from gatehouse.admin.configurations.use_cases.in_force import load_in_force
from gatehouse.admin.decisions.use_cases.decisions import get_decision, what_became
from gatehouse.admin.decisions.use_cases.habits import UserHabits, habits_of
from gatehouse.admin.decisions.use_cases.matched import MatchedRule, matched_rules
from gatehouse.admin.entities.types import EntityTokens
from gatehouse.admin.entities.use_cases.counting import count_entities
from gatehouse.admin.entities.use_cases.index import EntityCounts, EntityIndex
from gatehouse.admin.entities.use_cases.showing import ShownEntity, labels_in, shown
from gatehouse.admin.outcomes.types.outcome import PaymentOutcome
from gatehouse.admin.reviews.use_cases.reviews import ReviewView, get_review
from gatehouse.core.defects import blanked
from gatehouse.core.errors import GatehouseError, NotFound
from gatehouse.decisions.record import DecisionRecord
from gatehouse.explanations.explain import explain
from gatehouse.explanations.explanation import Explanation
from gatehouse.explanations.in_force import InForce
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import LabelEntry

_log: Final = logging.getLogger("gatehouse.admin")


class LinkedEntity(msgspec.Struct, frozen=True):
    """An entity of a decision, and what became of its other decisions."""

    shown: ShownEntity
    counts: EntityCounts


class InspectedDecision(msgspec.Struct, frozen=True):
    """All that is known of one decision."""

    record: DecisionRecord
    currency: str
    """Of the fees."""
    explanation: Explanation | None
    """None when it could not be worked out."""
    rules: list[MatchedRule]
    not_run: list[str]
    """Stages of the pipeline that did not run, in their order."""
    habits: UserHabits
    entities: list[LinkedEntity]
    labels: list[LabelEntry]
    """What was said about the request, newest first; the newest counts."""
    review: ReviewView | None
    outcomes: list[PaymentOutcome]
    """What became of the payment, oldest first."""


def inspect_decision(session: AdminSession, account_id: str, request_id: str) -> InspectedDecision:
    """One decision with everything around it; `NotFound` also about another account's."""
    record = get_decision(session, account_id, request_id)
    in_force = load_in_force(session, account_id, record)
    explanation = _explained(record, in_force)
    reasons = [] if explanation is None else explanation.reasons
    with session.account_reading(account_id) as connection:
        currency = accounts.get(connection, account_id).currency
        told = (in_force, reasons)
        rules = matched_rules(session, connection, account_id, record, told)
        habits = habits_of(EntityIndex(session, connection, account_id), record)
        labels = feedback.history(connection, account_id, request_id)
    return InspectedDecision(
        record=record,
        currency=currency,
        explanation=explanation,
        rules=rules,
        not_run=_not_run(record, in_force),
        habits=habits,
        entities=linked_entities(session, account_id, record),
        labels=labels,
        review=_review(session, account_id, request_id),
        outcomes=what_became(session, account_id, record),
    )


def linked_entities(
    session: AdminSession, account_id: str, record: DecisionRecord
) -> list[LinkedEntity]:
    """Who acted in a request, each with the counts of its newest decisions."""
    tokens, labels = EntityTokens(session, account_id), labels_in(record)
    counts = count_entities(session, account_id, labels)
    return [LinkedEntity(shown(each, tokens, labels), counts[each]) for each in labels]


def _explained(record: DecisionRecord, in_force: InForce) -> Explanation | None:
    try:
        return explain(record, in_force)
    except GatehouseError:
        raise
    except Exception as error:
        # The rest of the decision must be readable all the same.
        defect = blanked(error, "an explanation")
        _log.error("could not explain a decision", exc_info=defect)
        return None


def _not_run(record: DecisionRecord, in_force: InForce) -> list[str]:
    ran = {stage.name for stage in record.stages}
    stages = () if in_force.pipeline is None else in_force.pipeline.stages
    return [each.stage for each in stages if each.stage not in ran]


def _review(session: AdminSession, account_id: str, request_id: str) -> ReviewView | None:
    try:
        return get_review(session, account_id, request_id)
    except NotFound:
        return None
