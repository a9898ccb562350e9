"""What an export says of a decision: the request, its score and rules, and what became of it."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.reviews.use_cases.reviews import StoredReview, reviews_of
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.clock import time_or_none
from gatehouse.core.files.csv_output import csv_lines, plain_cell
from gatehouse.core.money import format_amount
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.reasons import is_retryable, reason_of
from gatehouse.decisions.record import DecisionRecord
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.feedback.feedback_history import labels_of

_AT_ONCE: Final = 100
COLUMNS: Final = (
    *("requestId", "at", "operation", "decision", "amount", "currency", "userId", "country"),
    *("cardBin", "cardLastFour", "clientReferenceId", "charged", "reason", "retryable"),
    *("score", "rules", "shadowRules", "label", "labelKnownAt"),
    *("review", "reviewedBy", "reviewedAt", "reviewReason"),
)


class ExportedReview(CamelStruct):
    """What a person found."""

    status: ReviewState
    resolved_by: str | None
    resolved_at: str | None
    reason: str | None


class ExportedDecision(msgspec.Struct, frozen=True):
    """A decision with what became of it since."""

    record: DecisionRecord
    label: Label | None
    label_known_at: str | None
    review: ExportedReview | None


def with_findings(
    session: AdminSession, account_id: str, records: Iterator[DecisionRecord]
) -> Iterator[ExportedDecision]:
    """The same decisions, with labels and reviews as they are now."""
    while some := [*islice(records, _AT_ONCE)]:
        ids = [each.request_id for each in some]
        with session.reading() as connection:
            labels = labels_of(connection, account_id, ids)
        reviews = {each.request_id: each for each in reviews_of(session, account_id, ids)}
        for each in some:
            known, review = labels.get(each.request_id), reviews.get(each.request_id)
            yield ExportedDecision(
                each,
                None if known is None else known.label,
                None if known is None else time_or_none(known.known_at_ms),
                None if review is None else _review(review),
            )


def _review(review: StoredReview) -> ExportedReview:
    resolved_at = time_or_none(review.resolved_at_ms)
    return ExportedReview(review.state, review.actor, resolved_at, review.reason)


def json_lines(found: Iterable[ExportedDecision], currency: str) -> Iterator[bytes]:
    """Decisions as the API has them, each with its label and its review."""
    encode = msgspec.json.Encoder().encode
    for each in found:
        more = {"label": each.label, "labelKnownAt": each.label_known_at, "review": each.review}
        # Records hold JSON that is not read again, so that the two objects are put together here.
        decision = encode(public_decision(each.record, currency))
        yield b"%b,%b\n" % (decision[:-1], encode(more)[1:])


def csv_rows(found: Iterable[ExportedDecision]) -> Iterator[bytes]:
    """Decisions as lines of CSV; no cell of it becomes a formula."""
    yield csv_lines([COLUMNS]).encode()
    for each in found:
        yield csv_lines([_cells(each)]).encode()


def _cells(exported: ExportedDecision) -> tuple[object, ...]:
    record, review = exported.record, exported.review
    about = subject_of(record)
    amount, card = about.order.amount, about.card
    reason = reason_of(record)
    retryable = is_retryable(record.decision, reason)
    return (
        *(record.request_id, record.at, record.operation, record.decision or ""),
        "" if amount is None else bytes(amount.amount).decode(),
        "" if amount is None else amount.currency,
        plain_cell(about.customer.user_id),
        about.origin.country or "",
        *(("", "") if card is None else (card.bin, card.last_four)),
        plain_cell(str(record.client_reference_id or "")),
        format_amount(record.closed_micros),
        *(reason or "", "" if record.decision is None else str(retryable).lower()),
        *_found(record),
        *(exported.label or "", exported.label_known_at or ""),
        *(("", "", "", "") if review is None else _reviewed(review)),
    )


def _reviewed(review: ExportedReview) -> tuple[object, ...]:
    by, at = plain_cell(review.resolved_by), review.resolved_at or ""
    return review.status, by, at, plain_cell(review.reason)


def _found(record: DecisionRecord) -> tuple[object, ...]:
    """Sentry's score, and the rules that matched."""
    score: Any = ""
    rules: dict[str, list[str]] = {"matched": [], "shadow": []}
    for stage in record.stages:
        if stage.name == SENTRY.name:
            score = stage.result.get("requestConfidence", "")
        elif stage.name in REGISTRY and REGISTRY[stage.name].runs_rule_set:
            for name in rules:
                rules[name] += stage.result.get(name) or ()
    return score, *(plain_cell(" ".join(each)) for each in rules.values())
