"""Use cases about one entity: everything it did, with whom it shares what, its standing."""

from typing import Final

import msgspec

from gatehouse.admin.decisions.use_cases.request_subject import OrderAmount, subject_of
from gatehouse.admin.entities.types import Entity, EntityTokens
from gatehouse.admin.entities.use_cases.index import EntityCounts, EntityIndex
from gatehouse.admin.entities.use_cases.neighbours import Neighbourhood, neighbourhood
from gatehouse.admin.entities.use_cases.showing import ShownEntity, labels_in, shown
from gatehouse.admin.entities.use_cases.standing import HeldBy, Reputation, lists_of, reputation
from gatehouse.admin.search.queries.pages import PageWanted, find_page
from gatehouse.admin.search.queries.sources import IdSpan
from gatehouse.core.errors import InvalidInput
from gatehouse.core.ids import id_time_ms, is_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback_history

_PAGE_BEGINS: Final = Phrase(
    "refused.page_begins", "a page begins before the id of a request: req_…"
)

PAGE: Final = 25
MOST_COUNTED: Final = 1000
"""So many of an entity's newest decisions make its counts and its reputation."""
_MOST_READ: Final = 150
"""So many of its newest records are read for its neighbours."""


class EntityDecision(msgspec.Struct, frozen=True):
    """A decision in the list of what an entity did."""

    request_id: str
    at_ms: int
    operation: str
    decision: Outcome | None
    amount: OrderAmount | None
    label: Label | None
    beside: list[ShownEntity]
    """Who else acted in it."""


class EntityProfile(msgspec.Struct, frozen=True):
    """All that a page about an entity tells."""

    shown: ShownEntity
    counts: EntityCounts
    first_ms: int | None
    """When it acted for the first time."""
    reputation: Reputation
    lists: list[HeldBy]
    neighbours: Neighbourhood


class EntityPage(msgspec.Struct, frozen=True):
    """Some of an entity's decisions, newest first."""

    decisions: list[EntityDecision]
    next_before: str | None
    """The request before which the next page begins; None when this is the last one."""


def show_entity(session: AdminSession, account_id: str, entity: Entity) -> EntityProfile:
    """What is known of an entity; one that never acted has counts of 0."""
    tokens = EntityTokens(session, account_id)
    with session.account_reading(account_id) as connection:
        index = EntityIndex(session, connection, account_id)
        ids = index.newest(entity, MOST_COUNTED + 1)
        more, ids = len(ids) > MOST_COUNTED, ids[:MOST_COUNTED]
        tally, read = index.tally(ids), index.records(ids[:_MOST_READ])
        newest = read[0] if read else None
        return EntityProfile(
            shown=shown(entity, tokens, {} if newest is None else labels_in(newest)),
            counts=tally.count(ids, more=more),
            first_ms=index.first_ms(entity),
            reputation=reputation(entity, ids, tally, session.clock()),
            lists=lists_of(index, entity, newest),
            neighbours=neighbourhood(index, entity, read),
        )


def entity_decisions(
    session: AdminSession, account_id: str, entity: Entity, before: str | None = None
) -> EntityPage:
    """A page of what an entity did, newest first, before a request."""
    if before is not None and not is_id(before, "req"):
        raise InvalidInput(_PAGE_BEGINS())
    with session.account_reading(account_id) as connection:
        index = EntityIndex(session, connection, account_id)
        wanted = PageWanted(IdSpan(before=before), PAGE)
        page = find_page(connection, [index.source(entity)], wanted)
        found = index.records(page.request_ids)
        said = feedback_history.entries_of(connection, account_id, page.request_ids)
    tokens = EntityTokens(session, account_id)
    rows = []
    for record in found:
        history = said.get(record.request_id, ())
        label = history[-1].label if history else None
        rows.append(_row(record, entity, tokens, None if label is Label.WITHDRAWN else label))
    return EntityPage(rows, page.reached)


def _row(
    record: DecisionRecord, entity: Entity, tokens: EntityTokens, label: Label | None
) -> EntityDecision:
    labels = labels_in(record)
    return EntityDecision(
        request_id=record.request_id,
        at_ms=id_time_ms(record.request_id),
        operation=record.operation,
        decision=record.decision,
        amount=subject_of(record).order.amount,
        label=label,
        beside=[shown(each, tokens, labels) for each in labels if each != entity],
    )
