"""Examples for training out of an archive: the same as out of the records themselves."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from gatehouse.archive.days import ArchivedSpan, DayRead
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.figures.layout import FEATURE, LABELS, ColumnLayout
from gatehouse.figures.workspace import Workspace, quoted, text
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.store.decisions.records import RecordCounts
from gatehouse.store.feedback.feedback_history import KnownLabel
from gatehouse.store.feedback.statements import label_in
from gatehouse.training.examples import Examples
from gatehouse.training.model_training import MeasuredRequest, add_example

_AT_ONCE: Final = 10_000
_ABOUT: Final = (
    *("d.request_id", "d.at_ms", "d.outcome", "known.label"),
    "COALESCE(known.known_ms, known.recorded_ms)",
    *("d.event_s", "d.event_counted", "d.event_amount", "d.event_currency", "d.event_declined"),
)
_CODES: Final = tuple(BY_CODE)


def gather_archived(
    engine: Workspace, archived: ArchivedSpan, reached: Callable[[int], object]
) -> tuple[Examples, RecordCounts]:
    """What Sentry measured in the requests of a span, with the labels that are known."""
    examples, gathered = Examples(_CODES), RecordCounts()
    span = archived.span
    within = f"d.seen_by IS NULL AND d.id_ms >= {span.since_ms} AND d.id_ms < {span.until_ms}"
    for day in archived.days:
        _open(engine, day)
        gathered.add(_count(engine, within))
        for row in _rows(engine, within):
            add_example(examples, _request(row))
        reached(gathered.looked_at)
    return examples, gathered


def reported_since(engine: Workspace, day: DayRead) -> int | None:
    """When the oldest request with feedback came, given the first day that has any."""
    _open(engine, day)
    rows = engine.ask(
        "SELECT d.at_ms FROM decisions AS d JOIN labels AS known "
        "ON known.request_id = d.request_id ORDER BY d.request_id LIMIT 1"
    )
    return rows[0][0] if rows else None


def _open(engine: Workspace, day: DayRead) -> None:
    engine.read("decisions", [day.decisions], ColumnLayout().archived)
    engine.read("labels", [day.labels] if day.labels else [], LABELS)


def _count(engine: Workspace, within: str) -> RecordCounts:
    [(measured, others, unreadable)] = engine.ask(
        "SELECT count(*) FILTER (WHERE d.measured), count(*) FILTER (WHERE NOT d.measured), "  # noqa: S608
        f"count(*) FILTER (WHERE d.measured IS NULL) FROM decisions AS d WHERE {within}"
    )
    return RecordCounts(records=measured, skipped=others, unreadable=unreadable)


def _rows(engine: Workspace, within: str) -> Iterator[tuple[Any, ...]]:
    """The measured requests in the order of their ids, never many at one time."""
    wanted = ", ".join((*_ABOUT, *(f"d.{quoted(FEATURE + code)}" for code in _CODES)))
    after = ""
    while True:
        rows = engine.ask(
            f"SELECT {wanted} FROM decisions AS d "  # noqa: S608
            "LEFT JOIN labels AS known ON known.request_id = d.request_id "
            f"WHERE {within} AND d.measured AND d.request_id > {text(after)} "
            f"ORDER BY d.request_id LIMIT {_AT_ONCE}"
        )
        yield from rows
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1][0]


def _request(row: tuple[Any, ...]) -> MeasuredRequest:
    _, at_ms, outcome, word, known_ms, event_s, counted, amount, currency, declined = row[:10]
    values = {
        code: value
        for code, value in zip(_CODES, row[len(_ABOUT) :], strict=True)
        if value is not None
    }
    event = None
    if event_s is not None:
        event = RecordedEvent(event_s, counted, amount, currency, None, declined, [], [])
    label = Label.WITHDRAWN if word is None else label_in(word)
    known = None if label is Label.WITHDRAWN else KnownLabel(label, known_ms)
    return MeasuredRequest(at_ms, outcome, values, event, known)
