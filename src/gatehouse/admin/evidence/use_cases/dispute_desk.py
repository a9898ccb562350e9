"""Use cases of the desk for disputes: the queue by deadline, what is decided, how it ended."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.queries import desk
from gatehouse.admin.evidence.types.compelling import DAY_MS
from gatehouse.admin.evidence.types.desk import (
    DeliveryGiven,
    DisputeChoice,
    DisputeDecision,
    DisputeEnd,
    DisputeFilter,
    DisputeId,
    DisputeQueue,
    DisputeShown,
    DisputeSummary,
    dispute_id,
)
from gatehouse.admin.evidence.use_cases.finding import EvidenceFinder, FoundEvidence
from gatehouse.admin.evidence.use_cases.papers_known import wanted_papers
from gatehouse.admin.evidence.use_cases.verdicts import summary_of
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import (
    COMPLIANCE,
    DisputeResult,
    DisputeStage,
    OutcomeKind,
)
from gatehouse.admin.outcomes.use_cases import disputes as outcomes
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import Conflict, InvalidFields
from gatehouse.core.filling import filled
from gatehouse.core.money import format_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case

_DECIDED: Final = Phrase(
    "refused.dispute_decided", "this dispute was decided before: {decision}, by {who}"
)
_ENDED: Final = Phrase("refused.dispute_ended", "this dispute has ended: {result}")

_FEE: Final = Phrase(
    "refused.dispute_fee",
    "must be true: contesting a case about a network's rules costs a fee of the network",
)

_MOST_OF_AN_ORDER: Final = 3
_ONE: Final = "/disputes/{disputeId}"
_SEE: Final[dict[str, Any]] = {"scope": "manage:feedback", "permission": Permission.SEE}
_WORK: Final[dict[str, Any]] = {"scope": "manage:feedback", "permission": Permission.REVIEW}
_ENDS: Final = {DisputeChoice.ACCEPT: DisputeResult.ACCEPTED, DisputeChoice.REPRESENT: None}
_STAGES: Final = {DisputeChoice.ACCEPT: None, DisputeChoice.REPRESENT: DisputeStage.REPRESENTED}


@use_case("GET /disputes", answers="disputesResponse", **_SEE)
def list_disputes(reading: Reading, account_id: str, wanted: DisputeFilter) -> DisputeQueue:
    """List disputes.

    Open ones by their deadline, each with what Compelling Evidence 3.0 says of it; or those that
    have ended.
    """
    limit, is_open = wanted.limit, not wanted.ended
    found = outcomes.disputes(reading.connection, account_id, limit, is_open=is_open)
    return DisputeQueue(_summaries(reading.session, reading.connection, account_id, found))


@use_case(f"GET {_ONE}", answers="disputeResponse", **_SEE)
def get_dispute(reading: Reading, account_id: str, dispute_id: DisputeId) -> DisputeShown:
    """Show a dispute.

    What was decided about it, and what was said of the delivery; files without their content.
    """
    known = desk.dispute_of(reading.connection, account_id, dispute_id)
    return _shown(reading.session, reading.connection, account_id, known)


def disputes_of(session: AdminSession, account_id: str, request_id: str) -> list[DisputeSummary]:
    """The disputes of one order as the queue tells them, oldest first; the newest few alone."""
    with session.account_reading(account_id) as connection:
        told = outcomes.outcomes_of(connection, account_id, [request_id])[request_id]
        found = [each for each in told if each.kind is OutcomeKind.DISPUTE]
        return _summaries(session, connection, account_id, found[-_MOST_OF_AN_ORDER:])


@use_case(f"POST {_ONE}/decision", answers="disputeResponse", **_WORK)
def decide_dispute(
    change: Change, account_id: str, dispute_id: DisputeId, given: DisputeDecision
) -> DisputeShown:
    """Represent or accept a dispute.

    The decision counts once: the same again changes nothing, another one is refused. One that is
    accepted has ended. A case about a network's rules is contested only with `feeAcknowledged`.
    """
    known = _open_dispute(change, account_id, dispute_id, may_be=_ENDS[given.decision])
    costs = known.reason == COMPLIANCE and given.decision is DisputeChoice.REPRESENT
    if costs and not given.fee_acknowledged:
        raise InvalidFields({"feeAcknowledged": [_FEE()]})
    case = desk.case_of(change.connection, change.ring, account_id, known.reference)
    if case.decision not in (None, given.decision):
        raise Conflict(_DECIDED(decision=case.decision.value, who=case.decided_by))
    if case.decision is None:
        comment = recordable(given.comment.strip())
        words = msgspec.structs.replace(case.words, comment=comment, fee_acknowledged=costs)
        new = msgspec.structs.replace(
            case,
            decision=given.decision,
            decided_at=Moment(change.now_ms),
            decided_by=str(change.actor),
            words=words,
        )
        desk.put_case(change, account_id, known, new)
        stage, result = _STAGES[given.decision], _ENDS[given.decision]
        outcomes.note_dispute(change, account_id, known, stage=stage, result=result)
    about = {"decision": given.decision.value, "again": case.decision is not None}
    change.audit("dispute.decide", account_id, reference=known.reference, **about)
    return _changed(change, account_id, dispute_id)


@use_case(
    f"PUT {_ONE}/delivery", operation="setDisputeDelivery", answers="disputeResponse", **_WORK
)
def delivery_of_dispute(
    change: Change, account_id: str, dispute_id: DisputeId, given: DeliveryGiven
) -> DisputeShown:
    """Tell of the delivery.

    What the merchant says about what was sold and delivered, in place of what was said before.
    """
    known = desk.dispute_of(change.connection, account_id, dispute_id)
    case = desk.case_of(change.connection, change.ring, account_id, known.reference)
    words = msgspec.structs.replace(case.words, delivery=_without_cards(given))
    desk.put_case(change, account_id, known, msgspec.structs.replace(case, words=words))
    change.audit("dispute.delivery", account_id, reference=known.reference)
    return _changed(change, account_id, dispute_id)


@use_case(f"POST {_ONE}/result", answers="disputeResponse", **_WORK)
def end_dispute(
    change: Change, account_id: str, dispute_id: DisputeId, given: DisputeEnd
) -> DisputeShown:
    """Tell how a dispute ended.

    The same as an outcome with that result: programmes and figures count it from now on.
    """
    known = desk.dispute_of(change.connection, account_id, dispute_id)
    outcomes.note_dispute(change, account_id, known, result=given.result)
    result = given.result.value
    change.audit("dispute.end", account_id, reference=known.reference, result=result)
    return _changed(change, account_id, dispute_id)


def _changed(change: Change, account_id: str, name: str) -> DisputeShown:
    known = desk.dispute_of(change.connection, account_id, name)
    return _shown(change.session, change.connection, account_id, known)


def _open_dispute(
    change: Change, account_id: str, name: str, may_be: DisputeResult | None
) -> OutcomeRow:
    """The dispute, unless it has ended in another way than what is asked for would end it."""
    known = desk.dispute_of(change.connection, account_id, name)
    if known.result not in (None, may_be):
        raise Conflict(_ENDED(result=known.result.value))
    return known


def _without_cards(given: DeliveryGiven) -> DeliveryGiven:
    """The same without card numbers, which are never kept."""
    said = {
        name: recordable(value)
        for name, value in msgspec.structs.asdict(given).items()
        if isinstance(value, str) and name != "goods"
    }
    return msgspec.structs.replace(given, **said)


def _shown(
    session: AdminSession, connection: sa.Connection, account_id: str, known: OutcomeRow
) -> DisputeShown:
    place = (connection, session.ring, account_id, known.reference)
    case, files = desk.case_of(*place), desk.files_of(*place)
    [found] = _evidence(session, connection, account_id, [known])
    return filled(
        DisputeShown,
        case,
        dispute=_summary(known, case.decision, found, session.clock()),
        comment=case.words.comment,
        fee_acknowledged=case.words.fee_acknowledged if known.reason == COMPLIANCE else None,
        delivery=case.words.delivery,
        files=files,
        papers=wanted_papers(known.reason, found, case.words, has_files=bool(files)),
    )


def _summaries(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    found: Sequence[OutcomeRow],
) -> list[DisputeSummary]:
    chosen = desk.choices(connection, account_id, [each.reference for each in found])
    now_ms = session.clock()
    judged = _evidence(session, connection, account_id, found)
    return [
        _summary(each, chosen.get(each.reference), evidence, now_ms)
        for each, evidence in zip(found, judged, strict=True)
    ]


def _evidence(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    disputes: Sequence[OutcomeRow],
) -> Iterator[FoundEvidence | None]:
    """The evidence for the order of each dispute, one after the other: each may be of many orders.

    None where the order is not known, its record is gone, or the actor may not read it.
    """
    if not session.actor.may(*OF_DECISIONS):
        yield from [None] * len(disputes)
        return
    finder = EvidenceFinder(session, connection, account_id)
    records = finder.records([each.request_id for each in disputes if each.request_id])
    for each in disputes:
        record = records.get(each.request_id or "")
        yield None if record is None else finder.find(record)


def _summary(
    known: OutcomeRow, chosen: DisputeChoice | None, found: FoundEvidence | None, now_ms: int
) -> DisputeSummary:
    until = known.respond_by_ms
    return filled(
        DisputeSummary,
        known,
        id=dispute_id(known.reference),
        at=Moment(known.at_ms),
        amount=None if known.amount is None else format_amount(known.amount),
        respond_by=moment(until),
        days_left=None if until is None else (until - now_ms) // DAY_MS,
        decision=chosen,
        winnable=None if found is None else found.evidence.qualified,
        missing=None if found is None else found.evidence.missing,
        summary=None if found is None else summary_of(found.evidence),
    )
