"""What lies around a decision: the customer's history, linked people, their ring, disputes.

Only the newest decisions are read, so the work does not grow with the account.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.admin.decisions.use_cases.request_subject import OrderAmount, subject_of
from gatehouse.admin.entities.types import Entity, EntityTokens, EntityType, entities_of
from gatehouse.admin.entities.use_cases.index import EntityIndex
from gatehouse.admin.entities.use_cases.neighbours import neighbourhood
from gatehouse.admin.entities.use_cases.showing import ShownEntity, labels_in, shown
from gatehouse.admin.evidence.types.desk import DisputeSummary
from gatehouse.admin.evidence.use_cases.dispute_desk import disputes_of
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.use_cases.disputes import outcomes_of
from gatehouse.admin.reviews.use_cases.reviews import resolved_among
from gatehouse.admin.rings.types import RingShown
from gatehouse.admin.rings.use_cases import glimpse
from gatehouse.core.ids import id_time_ms
from gatehouse.core.money import format_amount
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.search_terms import ring_in
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback_history

MOST_NEWEST: Final = 15
"""So many of the newest decisions of the customer, and of the card, are in the history."""
_MOST_BEFORE: Final = 10
"""And so many from just before this one, which can be old."""
MOST_EVENTS: Final = 40
MOST_LINKED: Final = 8
_PEOPLE: Final = (EntityType.USER, EntityType.EMAIL, EntityType.CARD)


class CaseEventKind(StrEnum):
    """What happened in the history of a customer."""

    DECISION = "decision"
    REVIEW = "review"
    LABEL = "label"
    OUTCOME = "outcome"


class CaseEvent(msgspec.Struct, frozen=True):
    """Something that happened to one of the customer's orders."""

    at_ms: int
    kind: CaseEventKind
    request_id: str
    value: str | None
    """The decision, the resolution, the label, or the kind of the outcome."""
    amount: OrderAmount | None
    by_card: bool
    """Whether the order is only linked by the card: somebody else placed it."""


class CaseHistory(msgspec.Struct, frozen=True):
    """What a customer did, and what became of it."""

    events: list[CaseEvent]
    """Newest first."""
    more: bool
    """Whether there is more than is shown."""
    whole: ShownEntity
    """Whose page has the rest."""


class LinkedPerson(msgspec.Struct, frozen=True):
    """Somebody else who used the same."""

    shown: ShownEntity
    shares: list[str]
    """What both used, by its kind."""
    frauds: int
    """How many of the decisions that were looked at turned out to be fraud."""


class CaseContext(msgspec.Struct, frozen=True):
    """What lies around one decision."""

    history: CaseHistory | None
    """None when the request names nobody, or nothing else is known."""
    linked: list[LinkedPerson]
    ring: RingShown | None
    disputes: list[DisputeSummary]


def case_context(session: AdminSession, account_id: str, record: DecisionRecord) -> CaseContext:
    """What lies around a decision of the account."""
    mine = {each.kind: each for each in reversed(entities_of(record))}
    found = [mine[kind] for kind in _PEOPLE if kind in mine]
    disputes = disputes_of(session, account_id, record.request_id)
    if not found:
        return CaseContext(None, [], None, disputes)
    person, card = found[0], mine.get(EntityType.CARD)
    with session.account_reading(account_id) as connection:
        index = EntityIndex(session, connection, account_id)
        own, more = _around(index, person, record.request_id)
        of_card, more_of_card = own, False
        if card not in (None, person):
            of_card, more_of_card = _around(index, card, record.request_id)
        records = index.records(sorted({*own, *of_card}, reverse=True))
        theirs = [each for each in records if person in entities_of(each)]
        linked = _linked(index, person, theirs)
        events = _events(index, records, person)
    history = CaseHistory(
        events=events[:MOST_EVENTS],
        more=more or more_of_card or len(events) > MOST_EVENTS,
        whole=shown(person, EntityTokens(session, account_id), labels_in(record)),
    )
    name = next(filter(None, map(ring_in, (record, *theirs))), None)
    ring = None if name is None else glimpse(session, account_id, name)
    return CaseContext(history if len(events) > 1 else None, linked, ring, disputes)


def _around(index: EntityIndex, entity: Entity, request_id: str) -> tuple[list[str], bool]:
    """The newest requests of an entity and those just before one, and whether there are more."""
    newest = index.newest(entity, MOST_NEWEST)
    before = index.newest(entity, _MOST_BEFORE + 1, request_id)
    found = sorted({*newest, *before[:_MOST_BEFORE], request_id}, reverse=True)
    return found, len(newest) == MOST_NEWEST or len(before) > _MOST_BEFORE


def _linked(
    index: EntityIndex, person: Entity, records: Sequence[DecisionRecord]
) -> list[LinkedPerson]:
    around = neighbourhood(index, person, records)
    called = {each.entity: each.called for each in around.near}
    return [
        LinkedPerson(
            other,
            sorted({called[each.near] for each in around.links if each.other == other.entity}),
            around.frauds.get(other.entity, 0),
        )
        for other in around.others[:MOST_LINKED]
    ]


def _events(
    index: EntityIndex, records: Sequence[DecisionRecord], person: Entity
) -> list[CaseEvent]:
    """What happened to some orders, newest first."""
    ids = [each.request_id for each in records]
    place = (index.connection, index.account_id, ids)
    reviews, outcomes = resolved_among(*place), outcomes_of(*place)
    labels = feedback_history.entries_of(*place)
    found: list[CaseEvent] = []
    for record in records:
        name, by_card = record.request_id, person not in entities_of(record)
        found += _happened(record, outcomes[name], by_card=by_card)
        found += [
            CaseEvent(each.recorded_at_ms, CaseEventKind.LABEL, name, each.label, None, by_card)
            for each in labels.get(name, ())
        ]
        if name in reviews:
            at_ms, state = reviews[name]
            found.append(CaseEvent(at_ms, CaseEventKind.REVIEW, name, state, None, by_card))
    return sorted(found, key=lambda each: (-each.at_ms, each.request_id))


def _happened(
    record: DecisionRecord, outcomes: Sequence[OutcomeRow], *, by_card: bool
) -> Iterator[CaseEvent]:
    """The decision about an order, and what its payment became."""
    name, amount = record.request_id, subject_of(record).order.amount
    at_ms, kind = id_time_ms(name), CaseEventKind.DECISION
    yield CaseEvent(at_ms, kind, name, record.decision, amount, by_card)
    for each in outcomes:
        paid = None
        if each.amount is not None:
            paid = OrderAmount(each.currency, msgspec.Raw(format_amount(each.amount).encode()))
        yield CaseEvent(each.at_ms, CaseEventKind.OUTCOME, name, each.kind, paid, by_card)
