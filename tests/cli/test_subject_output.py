"""Commands tell people who ordered what, and amounts with the decimals of their currency."""

import pytest

from gatehouse.admin.decisions.command.subject_output import (
    stage_facts,
    subject_cells,
    subject_lines,
)
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.decisions.record import DecisionRecord, RecordedStage


def stage(name: str, **result: object) -> RecordedStage:
    return RecordedStage(name, name.upper(), 20_000, True, 7, result)


@pytest.mark.parametrize(
    ("minor", "currency", "shown"),
    [(193_550, "GBP", "1,935.50 GBP"), (1234, "JPY", "1,234 JPY"), (12_345, "KWD", "12.345 KWD")],
)
def test_what_the_gateway_was_asked_for_is_shown_in_units_of_the_currency(
    minor: int, currency: str, shown: str
) -> None:
    facts = stage_facts(stage("Gateway", status="APPROVED", amountMinor=minor, currency=currency))
    assert facts == {"status": "APPROVED", "amount": shown}


def test_a_request_to_sentry_alone_tells_who_ordered_what() -> None:
    entities = [["address", "203.0.113.9"], ["country", "US"], ["user", "u-9"]]
    event = {"at": 1.0, "counted": True, "amount": 1000.0, "currency": "JPY", "entities": entities}
    sentry = stage("Sentry", event={**event, "whereabouts": None})
    at = "2026-11-15T08:30:00.000Z"
    record = DecisionRecord("req_1", "sentry", at, "order-9", None, [sentry], 20_000, 20_000)
    assert subject_cells(subject_of(record)) == ["1,000 JPY", "-", "u-9"]
    assert dict(subject_lines(subject_of(record))) == {
        "customer": "u-9",
        "order": "1,000 JPY, reference order-9",
        "card": "-",
        "from": "203.0.113.9, US",
    }
