"""Keeps what became of payments, finds their decisions, and labels those."""

from collections.abc import Sequence
from typing import Final

from gatehouse.admin.feedback.use_cases.record import record_many
from gatehouse.admin.outcomes import queries
from gatehouse.admin.outcomes.queries import OutcomeRow, PutOutcomes
from gatehouse.admin.outcomes.types.outcome import (
    OutcomeBatch,
    OutcomeReceipt,
    OutcomeReport,
    label_of,
)
from gatehouse.core.errors import GatehouseError
from gatehouse.core.money import parse_amount
from gatehouse.core.secrets import keyring
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_change
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, use_case
from gatehouse.store.feedback.feedback_history import find_all
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject

_SCOPE: Final = "manage:feedback"


@use_case(
    "POST /outcomes",
    scope=_SCOPE,
    operation="tellOutcomes",
    answers="outcomesToldResponse",
    most_bytes=MOST_DOCUMENT_BYTES,
)
def tell(session: AdminSession, account_id: str, given: OutcomeBatch) -> OutcomeReceipt:
    """Tell what became of payments.

    Keeps up to 500 outcomes: settlements, refunds, reported frauds, alerts and disputes. Each has a
    reference of its own; the same again changes nothing, and a new stage or result replaces what
    was told before. Disputes and reports of fraud label their decisions.
    """
    subjects = _subjects(session, given.items)
    with session.reading() as connection:
        meant = find_all(connection, account_id, [each for each in subjects if each is not None])
        arns = [each.arn for each in given.items if each.arn is not None]
        by_arn = queries.requests_by_arn(connection, account_id, arns) if arns else {}
    rows = []
    own: dict[str, str] = {}
    for report, subject in zip(given.items, subjects, strict=True):
        request_id = _only(meant.get(subject, [])) if subject is not None else None
        if report.arn is not None:
            if request_id is not None:
                own[report.arn] = request_id
            request_id = request_id or own.get(report.arn) or by_arn.get(report.arn)
        rows.append(_row(session, account_id, report, request_id))
    with account_change(session, account_id) as change:
        done = queries.put(change.connection, account_id, rows)
        change.audit(
            "outcome.tell",
            account_id,
            new=len(done.new),
            changed=len(done.changed),
            unchanged=done.unchanged,
        )
    labelled = _label(session, account_id, done)
    joined = sum(each.request_id is not None for each in rows)
    return OutcomeReceipt(len(done.new), len(done.changed), done.unchanged, joined, labelled)


def _subjects(
    session: AdminSession, items: Sequence[OutcomeReport]
) -> list[FeedbackSubject | None]:
    """What names the decision of each, in the form that records have."""
    hasher = EntityHasher(session.ring.current(keyring.ENTITIES)[1])
    found: list[FeedbackSubject | None] = []
    for each in items:
        if each.request_id is not None:
            found.append(FeedbackSubject(request_id=each.request_id))
        elif each.transaction_id is not None:
            found.append(FeedbackSubject(transaction=hasher.kept(each.transaction_id)))
        elif each.client_reference_id is not None:
            found.append(FeedbackSubject(client_reference=str(each.client_reference_id)))
        else:
            found.append(None)
    return found


def _only(request_ids: Sequence[str]) -> str | None:
    """The request that is meant; of several of one name, the last one was paid."""
    return request_ids[-1] if request_ids else None


def _row(
    session: AdminSession, account_id: str, report: OutcomeReport, request_id: str | None
) -> OutcomeRow:
    until = report.respond_by
    return OutcomeRow(
        account_id=account_id,
        kind=report.kind,
        reference=report.reference,
        at_ms=round(report.at.seconds * 1000),
        network=report.network,
        request_id=request_id,
        arn=report.arn,
        merchant_id=report.merchant_id,
        region=report.region,
        amount=None if report.amount is None else parse_amount(f"{report.amount:.6f}"),
        currency=None if report.currency is None else report.currency.strip().upper(),
        three_d_secure=None if report.three_d_secure is None else int(report.three_d_secure),
        reason=report.reason,
        fraud_type=report.fraud_type,
        stage=report.stage,
        result=report.result,
        respond_by_ms=None if until is None else round(until.seconds * 1000),
        recorded_at_ms=session.clock(),
        actor=str(session.actor),
    )


def _label(session: AdminSession, account_id: str, done: PutOutcomes) -> int:
    """Label the decisions that disputes and reports of fraud are about."""
    said = []
    for row in (*done.new, *done.changed):
        label = label_of(row.kind, row.reason, row.fraud_type)
        if label is not None and row.request_id is not None:
            statement = FeedbackStatement(label, row.at_ms, row.amount, row.currency)
            said.append((FeedbackSubject(request_id=row.request_id), statement))
    answers = record_many(session, account_id, said) if said else []
    return sum(not isinstance(each, GatehouseError) for each in answers)
