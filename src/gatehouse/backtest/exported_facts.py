"""What an export tells of a record besides its signals: names, label, event, model and features."""

from typing import Any, Final

import msgspec

from gatehouse.core.clock import time_or_none
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import RecordOutline, named_text, read
from gatehouse.decisions.stage_signals import matches_in
from gatehouse.sentry.records.event import measured_in
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback.feedback_history import KnownLabel

_SECOND_MS: Final = 1000


class ExportedFacts(msgspec.Struct, frozen=True):
    """Times are in milliseconds since 1970."""

    label: str | None = None
    label_ms: int | None = None
    client_reference: str | None = None
    event_ms: int | None = None
    amount: float | None = None
    currency: str | None = None
    model: str | None = None
    matches: list[str] = []
    """The rules that matched, each as rule set, version and rule."""
    features: dict[str, float] | None = None
    """What Sentry measured, by code; None where it did not run or complete."""


class _ExportedOutline(RecordOutline, frozen=True):
    client_reference_id: str | int | None = msgspec.field(default=None, name="clientReferenceId")


_decode: Final = msgspec.json.Decoder(_ExportedOutline).decode


def label_facts(label: KnownLabel | None) -> ExportedFacts:
    """What is told of a record that cannot be read: its label."""
    if label is None:
        return ExportedFacts()
    # However a fraud became known, it is told as one.
    told = Label.FRAUD if label.fraud else label.label
    return ExportedFacts(told.value, label.known_at_ms)


def facts_of(record: KeptRecord, label: KnownLabel | None) -> ExportedFacts:
    """What is told of a record; raises `UnreadableRecord`."""
    kept = read(_decode, record.text)
    measured = measured_in(kept)
    event = kept.event if measured is None else measured.event
    name = kept.client_reference_id
    return msgspec.structs.replace(
        label_facts(label),
        client_reference=None if name is None else str(name),
        event_ms=None if event is None else round(event.at * _SECOND_MS),
        amount=None if event is None else event.amount,
        currency=None if event is None else event.currency,
        model=None if measured is None else measured.model,
        matches=matches_in(kept.stages),
        features=None if measured is None else measured.values,
    )


def json_line(record: KeptRecord, facts: ExportedFacts) -> str:
    """A record, with the facts that it does not hold by these names."""
    more: dict[str, Any] = {
        "transactionId": record.transaction,
        "label": facts.label,
        "labelAt": time_or_none(facts.label_ms),
        "eventAt": time_or_none(facts.event_ms),
        "amount": facts.amount,
        "currency": facts.currency,
        "model": facts.model,
        "features": facts.features,
    }
    kept = named_text(record.text).rstrip().removesuffix("}")
    comma = "" if kept.endswith("{") else ","
    return kept + comma + msgspec.json.encode(more).decode()[1:]
