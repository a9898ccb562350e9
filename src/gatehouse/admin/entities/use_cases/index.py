"""What the search index knows of an account's entities; every question reads a bounded number."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from gatehouse.admin.entities.types import FIELDS, Entity
from gatehouse.admin.search.queries.sources import (
    IdSpan,
    Source,
    among,
    by_labels,
    by_terms,
    newest_of_term,
    read_ids,
)
from gatehouse.core.ids import id_time_ms
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import FRAUD_LABELS, Label
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.search_terms import DECISION
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions


class EntityCounts(msgspec.Struct, frozen=True):
    """What became of an entity's newest decisions."""

    decisions: int
    more: bool
    """Whether there are more than were counted."""
    reviewed: int
    declined: int
    frauds: int
    """Those that turned out to be fraud, or were charged back."""
    legitimate: int
    """Those that are known to be legitimate."""
    newest_ms: int | None


class Tally(msgspec.Struct, frozen=True):
    """Some requests, by what was decided about them and what they turned out to be."""

    reviewed: set[str]
    declined: set[str]
    frauds: set[str]
    legitimate: set[str]

    def count(self, request_ids: Sequence[str], *, more: bool) -> EntityCounts:
        """The counts of some of these requests, newest first."""
        known = set(request_ids)
        return EntityCounts(
            decisions=len(request_ids),
            more=more,
            reviewed=len(known & self.reviewed),
            declined=len(known & self.declined),
            frauds=len(known & self.frauds),
            legitimate=len(known & self.legitimate),
            newest_ms=id_time_ms(request_ids[0]) if request_ids else None,
        )


class EntityIndex:
    """The decisions of one account by the entities that acted in them."""

    def __init__(self, session: AdminSession, connection: sa.Connection, account_id: str) -> None:
        session.actor.check_reads(account_id)
        self.session = session
        self.connection = connection
        self.account_id = account_id

    def source(self, entity: Entity) -> Source:
        """Where the decisions of an entity are found."""
        return by_terms(self.account_id, [self._term(FIELDS[entity.kind], entity.value)])

    def newest(self, entity: Entity, limit: int, before: str | None = None) -> list[str]:
        """The ids of an entity's newest requests, or of those before one, the newest first."""
        term = self._term(FIELDS[entity.kind], entity.value)
        found = newest_of_term(self.connection, self.account_id, term, limit, before)
        return list(dict.fromkeys(found))

    def first_ms(self, entity: Entity) -> int | None:
        """When an entity acted for the first time; None when it never did."""
        source = self.source(entity)
        first = read_ids(self.connection, source, IdSpan(), 1, newest_first=False)
        return id_time_ms(first[0]) if first else None

    def records(self, request_ids: Sequence[str]) -> list[DecisionRecord]:
        """The account's records of some requests, in the same order."""
        fingerprints = self.session.fingerprints
        return decisions.get_many(self.connection, self.account_id, request_ids, fingerprints)

    def tally(self, request_ids: Sequence[str]) -> Tally:
        """What was decided about some requests, and what they turned out to be."""
        review, decline = (
            by_terms(self.account_id, [self._term(DECISION, each.value)])
            for each in (Outcome.REVIEW, Outcome.DECLINE)
        )
        return Tally(
            reviewed=self._among(review, request_ids),
            declined=self._among(decline, request_ids),
            frauds=self.frauds(request_ids),
            legitimate=self._among(by_labels(self.account_id, [Label.LEGITIMATE]), request_ids),
        )

    def frauds(self, request_ids: Sequence[str]) -> set[str]:
        """Those of some requests that turned out to be fraud."""
        if not request_ids:
            # To make the query alone would take a millisecond.
            return set()
        return self._among(by_labels(self.account_id, FRAUD_LABELS), request_ids)

    def _term(self, field: int, value: str) -> int:
        return self.session.terms.term(self.account_id, field, value)

    def _among(self, source: Source, request_ids: Sequence[str]) -> set[str]:
        return among(self.connection, source, request_ids) if request_ids else set()
