"""Finds the earlier orders that show a disputed one to be the cardholder's.

The search index finds the orders of a card, so the work does not grow with the account.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.entities.types import Entity, EntityType
from gatehouse.admin.entities.use_cases.index import EntityIndex
from gatehouse.admin.evidence.queries import envelopes
from gatehouse.admin.evidence.types.compelling import (
    DAY_MS,
    EARLIEST_DAYS,
    LATEST_DAYS,
    REASON,
    CompellingEvidence,
    EvidenceOrder,
    MissingEvidence,
    qualify,
)
from gatehouse.admin.evidence.types.orders import order_of
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import OutcomeKind, OutcomeNetwork, reason_of
from gatehouse.admin.outcomes.use_cases.disputes import outcomes_of
from gatehouse.core.cards.numbers import KeptCard
from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.core.secrets import keyring
from gatehouse.decisions.order_envelope import OrderEnvelope
from gatehouse.decisions.record import DecisionRecord
from gatehouse.sentry.entities import EntityHasher
from gatehouse.signals.request_signals import own_text
from gatehouse.store.admin.admin_session import AdminSession

MOST_EARLIER: Final = 300
"""So many orders of a card are looked at: the newest that can be old enough."""
_SLACK_DAYS: Final = 31
"""A payment may be settled so many days after its request; the day it is settled counts."""
_VISA: Final = "visa"


class FoundEvidence(msgspec.Struct, frozen=True):
    """A disputed order, the orders it was compared with, and what came of it."""

    record: DecisionRecord
    order: EvidenceOrder | None
    """None when the request named no card."""
    outcomes: list[OutcomeRow]
    evidence: CompellingEvidence
    earlier: dict[str, EvidenceOrder]
    """Orders of the same card before it, by request."""
    records: dict[str, DecisionRecord]
    envelopes: dict[str, OrderEnvelope]
    """What is readable of these orders and of the disputed one, by request."""

    @property
    def dispute(self) -> OutcomeRow | None:
        """The newest dispute of the order."""
        return _dispute(self.outcomes)


def find_evidence(session: AdminSession, account_id: str, request_id: str) -> FoundEvidence:
    """Compare an order with earlier ones of its card; `NotFound` also about another account's."""
    record = get_decision(session, account_id, request_id)
    with session.account_reading(account_id) as connection:
        return EvidenceFinder(session, connection, account_id).find(record)


class EvidenceFinder:
    """Looks for the orders of one account."""

    def __init__(self, session: AdminSession, connection: sa.Connection, account_id: str) -> None:
        self._index = EntityIndex(session, connection, account_id)
        self._session = session
        self._connection = connection
        self._account_id = account_id
        self._hashed = EntityHasher(session.ring.current(keyring.ENTITIES)[1]).hashed

    def records(self, request_ids: Sequence[str]) -> dict[str, DecisionRecord]:
        """The records of some requests; without those that are gone."""
        return {each.request_id: each for each in self._index.records(request_ids)}

    def find(self, record: DecisionRecord) -> FoundEvidence:
        """The evidence for one order."""
        request_id, card = record.request_id, record.card
        mine = outcomes_of(self._connection, self._account_id, [request_id])[request_id]
        dispute = _dispute(mine)
        raised_ms = 0 if dispute is None else dispute.at_ms
        ids = [] if card is None else self._earlier_ids(card, request_id, raised_ms)
        every = [request_id, *ids]
        outcomes = outcomes_of(self._connection, self._account_id, ids) | {request_id: mine}
        kept = envelopes.read(self._connection, self._session.ring, self._account_id, every)
        frauds = self._index.frauds(ids)
        records = self.records(ids)
        if card is None:
            missing = CompellingEvidence(False, missing=MissingEvidence.NO_CARD)
            return FoundEvidence(record, None, mine, missing, {}, {}, kept)

        def order(each: DecisionRecord) -> EvidenceOrder:
            name, envelope = each.request_id, kept.get(each.request_id)
            return order_of(
                each,
                card.fingerprint,
                outcomes.get(name, ()),
                is_fraud=name in frauds,
                kept=envelope,
                shipping=self._shipping(envelope),
            )

        this = order(record)
        earlier = {name: order(each) for name, each in records.items()}
        evidence = qualify(this, earlier.values(), reason=_reason(card, dispute))
        return FoundEvidence(record, this, mine, evidence, earlier, records, kept)

    def _earlier_ids(self, card: KeptCard, request_id: str, raised_ms: int) -> list[str]:
        at_ms = id_time_ms(request_id)
        newest_ms = max(at_ms, raised_ms) - (LATEST_DAYS - _SLACK_DAYS) * DAY_MS
        until = min(first_id("req", max(0, newest_ms)), request_id)
        since = first_id("req", max(0, at_ms - (EARLIEST_DAYS + _SLACK_DAYS) * DAY_MS))
        found: set[str] = set()
        for name in (card.fingerprint, card.account_fingerprint):
            if name is not None:
                entity = Entity(EntityType.CARD, name)
                newest = self._index.newest(entity, MOST_EARLIER, until)
                found.update(each for each in newest if each >= since)
        return sorted(found, reverse=True)[:MOST_EARLIER]

    def _shipping(self, envelope: OrderEnvelope | None) -> str | None:
        text = None if envelope is None else envelope.shipping_text
        return None if text is None else own_text(text, self._hashed)


def _dispute(outcomes: Sequence[OutcomeRow]) -> OutcomeRow | None:
    found = [each for each in outcomes if each.kind is OutcomeKind.DISPUTE]
    return found[-1] if found else None


def _reason(card: KeptCard, dispute: OutcomeRow | None) -> str:
    """The reason to judge by; without a dispute, as if it were one for fraud."""
    is_visa = (card.brand or "").casefold() == _VISA
    if dispute is not None and dispute.network is not OutcomeNetwork.OTHER:
        is_visa = dispute.network is OutcomeNetwork.VISA
    if not is_visa:
        return ""
    if dispute is None:
        return REASON
    return reason_of(OutcomeNetwork.VISA, dispute.reason or "")
