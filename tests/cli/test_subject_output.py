"""Commands tell people who ordered what, and amounts with the decimals of their currency."""

import msgspec
import pytest

from gatehouse.admin.decisions.command.subject_output import (
    stage_facts,
    subject_cells,
    subject_lines,
)
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.model_trials.types import ModelTrialShown
from gatehouse.cli.output import show_result
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.training.report.report import ModelComparison, ThresholdInUse
from gatehouse.training.report.trial import ModelTrial, ThresholdTrial, TrialShift


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


def test_what_a_trial_found_is_told_by_its_fields_and_a_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shift = TrialShift(7, 4, 2)
    used = ThresholdTrial(
        ThresholdInUse("rule", "starter", "low", 0.4), 0.1, 0.2, shift, shift, 0.3
    )
    figures = ModelComparison(None, None)
    found = ModelTrial(900, 60, 9, 0.75, shift, shift, figures, (used,), version=2)
    shown = ModelTrialShown(2, None, is_current=True, trial=msgspec.to_builtins(found))
    show_result(shown, as_json=False)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "trial.agreement 0.75" in lines
    assert "trial.stricter requests=7, frauds=4, legitimate=2" in lines
    assert "IN USE BEFORE AFTER" in lines[-2]
    assert lines[-1].startswith("source=rule, configured=starter, name=low, threshold=0.4 0.1 0.2")
    show_result(shown, as_json=True)
    assert msgspec.json.decode(capsys.readouterr().out)["trial"]["stricter"]["frauds"] == 4
