"""How commands print reviews for people."""

from collections.abc import Iterator, Sequence

from gatehouse.admin.decisions.command.explained import explained
from gatehouse.admin.decisions.command.subject_output import (
    joined,
    stage_facts,
    subject_cells,
    subject_lines,
)
from gatehouse.admin.decisions.use_cases.review_summary import ReviewSummary
from gatehouse.admin.reviews.use_cases.reviews import EventKind, ReviewEvent, ReviewView
from gatehouse.cli.output import sheet, table
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.explanations.explanation import Explanation

_HEADINGS = ("REQUEST", "AGE", "STATUS", "AMOUNT", "CARD", "CUSTOMER", "FROM", "ASSIGNEE")
_PAYMENTS = {
    "OPEN": "its request is in flight",
    "REVIEW": "it was authorized, and waits for this review",
    "REVERSE": "it is being reversed",
    "REVERSED": "it was reversed",
    "FAILED": "it could not be reversed; see to it at your gateway",
}
_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60))


def review_list(views: Sequence[ReviewView], now_ms: int) -> str:
    """Reviews for people: a line for each, and under it what spoke against the request."""
    rows = [_row(view, now_ms) for view in views]
    headings, *lines = table(_HEADINGS, rows).splitlines()
    text = [headings]
    for view, line in zip(views, lines, strict=True):
        text += [line, f"  {_in_short(view.summary)}"]
    return "\n".join(text)


def review_sheet(view: ReviewView, explanation: Explanation | None, now_ms: int) -> str:
    """A review that is shown alone, for people."""
    parts = [sheet(_about(view, now_ms))]
    if explanation is not None:
        parts.append(explained(explanation))
    if view.record is not None:
        plain = str | int | float
        found = [
            (stage.name, {k: v for k, v in stage_facts(stage).items() if isinstance(v, plain)})
            for stage in view.record.stages
        ]
        parts.append("FOUND\n" + sheet(found))
    history = [(iso_time(one.at_ms), one.actor, _event_text(one)) for one in view.events]
    parts.append(table(("AT", "BY", "WHAT"), history))
    return "\n\n".join(parts)


def age(since_ms: int, now_ms: int) -> str:
    """How long ago something was, in its largest unit."""
    seconds = max(0, now_ms - since_ms) // 1000
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _row(view: ReviewView, now_ms: int) -> list[str]:
    review, summary = view.review, view.summary
    row = [review.request_id, age(review.at_ms, now_ms), review.state]
    if summary is None:
        row += ["-"] * 4
    else:
        row += [
            *subject_cells(summary),
            joined(" ", summary.origin.country, summary.origin.operator),
        ]
    return [*map(recordable, row), review.assignee or "-"]


def _in_short(summary: ReviewSummary | None) -> str:
    if summary is None:
        return "the record is gone"
    tags = f" [{', '.join(summary.tags)}]" if summary.tags else ""
    sentence = f": {summary.reasons[0].sentence}" if summary.reasons else ""
    return recordable(f"{', '.join(summary.rules) or 'no rule matched'}{tags}{sentence}")


def _about(view: ReviewView, now_ms: int) -> Iterator[tuple[str, str]]:
    review, summary = view.review, view.summary
    yield "request", review.request_id
    yield "status", f"{review.state}, opened {age(review.at_ms, now_ms)} ago"
    yield "assignee", review.assignee or "-"
    if summary is None:
        yield "decision", "the record is gone"
    else:
        yield from subject_lines(summary)
        yield "rules", recordable(", ".join(summary.rules) or "-")
        yield "tags", recordable(", ".join(summary.tags) or "-")
    if view.payment is not None:
        yield "payment", f"{view.payment}: {_PAYMENTS[view.payment]}"
    if review.actor is not None:
        yield "resolved", f"{time_or_none(review.resolved_at_ms)} by {review.actor}"
        yield "reason", review.reason or "-"


def _event_text(event: ReviewEvent) -> str:
    words = event.words or "[erased]"
    if event.kind is EventKind.OPENED:
        return "opened"
    if event.kind is EventKind.NOTE:
        return f"note: {words}"
    if event.kind is EventKind.ASSIGNED:
        return f"assigned to {event.details.assignee or 'nobody'}"
    done = "corrected to" if event.kind is EventKind.CORRECTED else "resolved as"
    return f"{done} {event.details.state}: {words}"
