"""How often entities acted, and what became of it: counted in the search index, up to a limit."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.entities.naming import FIELDS, Entity
from gatehouse.admin.scopes import account_reading
from gatehouse.core.ids import id_time_ms
from gatehouse.core.labels import Label
from gatehouse.core.outcomes import Outcome
from gatehouse.decisions.search_terms import DECISION
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.search.sources import IdSpan, Source, among, by_labels, by_terms, read_ids

MOST_COUNTED: Final = 200
"""Of each entity beside a decision, so many of its newest decisions are counted."""
_FRAUD: Final = (Label.FRAUD, Label.CHARGEBACK)


class EntityCounts(msgspec.Struct, frozen=True):
    """What became of an entity's newest decisions."""

    decisions: int
    more: bool
    """Whether there are more than were counted."""
    accepted: int
    reviewed: int
    declined: int
    frauds: int
    """Those that turned out to be fraud, or were charged back."""
    legitimate: int
    """Those that are known to be legitimate."""
    newest_ms: int | None
    oldest_ms: int | None
    """Of those that were counted."""


class Tally(msgspec.Struct, frozen=True):
    """Some requests, by what was decided about them and what they turned out to be."""

    outcomes: dict[Outcome, set[str]]
    frauds: set[str]
    legitimate: set[str]

    def count(self, request_ids: Sequence[str], *, more: bool) -> EntityCounts:
        """The counts of some of these requests, newest first."""
        known = set(request_ids)
        accepted, reviewed, declined = (
            len(known & self.outcomes[each])
            for each in (Outcome.ACCEPT, Outcome.REVIEW, Outcome.DECLINE)
        )
        return EntityCounts(
            decisions=len(request_ids),
            more=more,
            accepted=accepted,
            reviewed=reviewed,
            declined=declined,
            frauds=len(known & self.frauds),
            legitimate=len(known & self.legitimate),
            newest_ms=id_time_ms(request_ids[0]) if request_ids else None,
            oldest_ms=id_time_ms(request_ids[-1]) if request_ids else None,
        )


def count_entities(
    session: AdminSession, account_id: str, entities: Iterable[Entity]
) -> dict[Entity, EntityCounts]:
    """What became of the newest decisions of each of some entities."""
    with account_reading(session, account_id) as connection:
        found = {
            each: newest_requests(session, connection, account_id, each, MOST_COUNTED + 1)
            for each in entities
        }
        ids = sorted({each for some in found.values() for each in some})
        tally = tally_of(session, connection, account_id, ids)
    return {
        each: tally.count(some[:MOST_COUNTED], more=len(some) > MOST_COUNTED)
        for each, some in found.items()
    }


def source_of(session: AdminSession, account_id: str, entity: Entity) -> Source:
    """The decisions of an entity in the search index."""
    session.actor.check_account(account_id)
    return by_terms([session.terms.term(account_id, FIELDS[entity.kind], entity.value)])


def newest_requests(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    entity: Entity,
    limit: int,
    before: str | None = None,
) -> list[str]:
    """The ids of an entity's newest requests, the newest first."""
    source = source_of(session, account_id, entity)
    span = IdSpan(before=before)
    found = read_ids(connection, source, span, limit, newest_first=True)
    return list(dict.fromkeys(found))


def tally_of(
    session: AdminSession, connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> Tally:
    """What was decided about some requests, and what they turned out to be."""
    session.actor.check_account(account_id)

    def which(source: Source) -> set[str]:
        return among(connection, source, request_ids) if request_ids else set()

    terms = {each: session.terms.term(account_id, DECISION, each.value) for each in Outcome}
    return Tally(
        outcomes={each: which(by_terms([term])) for each, term in terms.items()},
        frauds=frauds_among(connection, account_id, request_ids),
        legitimate=which(by_labels(account_id, (Label.LEGITIMATE,))),
    )


def frauds_among(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> set[str]:
    """Those of some requests of an account that turned out to be fraud."""
    if not request_ids:
        return set()
    return among(connection, by_labels(account_id, _FRAUD), request_ids)
