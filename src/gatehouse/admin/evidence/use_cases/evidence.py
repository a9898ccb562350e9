"""Use case: what is known for and against a disputed order."""

from datetime import UTC, datetime, timedelta
from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.queries import desk
from gatehouse.admin.evidence.types.compelling import EvidenceOrder, shared_by
from gatehouse.admin.evidence.types.desk import DeliveryGiven
from gatehouse.admin.evidence.types.evidence import EarlierOrder, OrderEvidence, RequestId
from gatehouse.admin.evidence.use_cases.finding import FoundEvidence, find_evidence
from gatehouse.admin.evidence.use_cases.packets import packet_of
from gatehouse.admin.evidence.use_cases.verdicts import FIELDS, advice_of, summary_of
from gatehouse.core.clock import moment
from gatehouse.core.filling import filled
from gatehouse.core.money import format_amount
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case

_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)


@use_case(
    "GET /decisions/{requestId}/evidence",
    scope="manage:feedback",
    permission=Permission.REVEAL,
    rights=OF_DECISIONS,
    answers="evidenceResponse",
)
def get_evidence(session: AdminSession, account_id: str, request_id: RequestId) -> OrderEvidence:
    """Show the evidence for an order.

    Looks for two earlier orders on the same card that show the order to be the cardholder's, as
    Visa's Compelling Evidence 3.0 wants them, and says what was missing if there are none. The
    packet holds personal data in clear: each look leaves an audit line.
    """
    found = find_evidence(session, account_id, request_id)
    shown = shown_evidence(found, delivery_of(session, account_id, found))
    if shown.packet is not None:
        note_look(session, account_id, request_id)
    return shown


def delivery_of(
    session: AdminSession, account_id: str, found: FoundEvidence
) -> DeliveryGiven | None:
    """What the merchant said about the delivery of a disputed order."""
    if found.dispute is None:
        return None
    with session.account_reading(account_id) as connection:
        case = desk.case_of(connection, session.ring, account_id, found.dispute.reference)
    return case.words.delivery


def note_look(session: AdminSession, account_id: str, request_id: str) -> None:
    """Leave an audit line about a look at personal data."""
    session.actor.check_account(account_id)
    with session.change(unseen=True) as change:
        change.audit("data.reveal", account_id, what="evidence", requestId=request_id)


def shown_evidence(found: FoundEvidence, delivery: DeliveryGiven | None) -> OrderEvidence:
    """What was found, in the shape of the API."""
    evidence, dispute = found.evidence, found.dispute
    return filled(
        OrderEvidence,
        evidence,
        request_id=found.record.request_id,
        summary=summary_of(evidence),
        dispute=None if dispute is None else dispute.reference,
        respond_by=None if dispute is None else moment(dispute.respond_by_ms),
        matched=list(evidence.matched),
        countings=list(evidence.countings),
        send=[FIELDS[each] for each in evidence.send],
        advice=advice_of(evidence),
        earlier_orders=earlier_orders(found),
        packet=packet_of(found, delivery),
    )


def earlier_orders(found: FoundEvidence) -> list[EarlierOrder]:
    """The nearest pair, the older one first."""
    this = found.order
    if this is None:
        return []
    pair = [found.earlier[each] for each in found.evidence.pair or ()]
    return [_earlier(this, each) for each in pair]


def _earlier(this: EvidenceOrder, other: EvidenceOrder) -> EarlierOrder:
    return EarlierOrder(
        request_id=other.request_id,
        day=day_text(other.day),
        days_before=this.day - other.day,
        amount=format_amount(other.amount_micros) if other.amount_micros > 1 else None,
        matched=list(shared_by(this, other)),
    )


def day_text(day: int) -> str:
    """A day since 1970 as ISO 8601 has it."""
    return (_FIRST + timedelta(days=day)).date().isoformat()
