"""Use cases of feedback in bulk: many statements in one call, or a file of them as a job."""

from typing import Final

from gatehouse.admin.feedback.types import (
    FeedbackBatch,
    FeedbackBatchResponse,
    FeedbackFile,
    FeedbackItemResult,
    FeedbackRequest,
    currency_code,
    decimals,
)
from gatehouse.admin.feedback.use_cases.record import record_many, shown_outcomes
from gatehouse.admin.feedback.use_cases.statements import CLOCKS_DIFFER_MS
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import MOST_IMPORT_BYTES, ImportOrder, JobKind, JobResponse
from gatehouse.core.errors import GatehouseError, InvalidFields
from gatehouse.core.money import parse_amount
from gatehouse.core.secrets import keyring
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, use_case
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject

_SCOPE: Final = "manage:feedback"


@use_case(
    "POST /feedback",
    scope=_SCOPE,
    operation="giveFeedbackInBulk",
    answers="feedbackBatchResponse",
    most_bytes=MOST_DOCUMENT_BYTES,
)
def record_batch(
    session: AdminSession, account_id: str, given: FeedbackBatch
) -> FeedbackBatchResponse:
    """Give feedback in bulk.

    Records up to 500 statements, each on its own: one that is refused does not keep the others from
    being kept. The same said again changes nothing.
    """
    hasher = EntityHasher(session.ring.current(keyring.ENTITIES)[1])
    now_ms = session.clock()
    said = [
        (subject_of(each, hasher)[1], statement_of(each, now_ms, f"items[{number}]."))
        for number, each in enumerate(given.items)
    ]
    items = [
        FeedbackItemResult(False, str(each) or "refused", [])
        if isinstance(each, GatehouseError)
        else FeedbackItemResult(True, None, shown_outcomes(each))
        for each in record_many(session, account_id, said)
    ]
    recorded = sum(each.recorded for each in items)
    return FeedbackBatchResponse(recorded, len(items) - recorded, items)


@use_case(
    "POST /feedback/imports",
    scope=_SCOPE,
    operation="importFeedback",
    answers="jobResponse",
    most_bytes=MOST_IMPORT_BYTES,
)
def import_file(
    session: AdminSession, account_id: str, given: FeedbackFile, dry_run: bool = False
) -> JobResponse:
    """Import feedback.

    Starts a job that imports a file of statements, of up to 4 MiB. Its result counts them and
    reports rows that cannot be used.
    """
    order, kind = ImportOrder(given.format, dry_run), JobKind.FEEDBACK_IMPORT
    return queue.shown_job(
        queue.start_job(session, account_id, kind, order, given.content.encode())
    )


def subject_of(request: FeedbackRequest, hasher: EntityHasher) -> tuple[str, FeedbackSubject]:
    """Which field names the requests, and its value as records store it."""
    if request.request_id is not None:
        return "requestId", FeedbackSubject(request_id=request.request_id)
    if request.transaction_id is not None:
        return "transactionId", FeedbackSubject(transaction=hasher.kept(request.transaction_id))
    return "clientReferenceId", FeedbackSubject(client_reference=str(request.client_reference_id))


def statement_of(request: FeedbackRequest, now_ms: int, inside: str = "") -> FeedbackStatement:
    """What is said; `inside` is the path of the object in its body, for errors."""
    found_at_ms = None if request.when is None else round(request.when.seconds * 1000)
    if found_at_ms is not None and found_at_ms > now_ms + CLOCKS_DIFFER_MS:
        raise InvalidFields({f"{inside}when": ["must not be in the future"]})
    amount, currency = request.amount, request.currency
    return FeedbackStatement(
        request.label,
        found_at_ms,
        None if amount is None else parse_amount(decimals(amount)),
        None if currency is None else currency_code(currency),
    )
