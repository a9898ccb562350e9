"""An audit of labels finds what flatters or spoils a model, and nothing in honest data."""

import gzip
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts.eval_sentry.converting import convert
from scripts.eval_sentry.running import Quiet
from scripts.eval_sentry.streams import cold_start
from sklearn.ensemble import HistGradientBoostingClassifier

from gatehouse.admin.models.use_cases.replays import make_judge
from gatehouse.core.errors import InvalidInput
from gatehouse.sentry import kinds
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.settings.settings import Settings
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.training.audit.auditing import audit_examples
from gatehouse.training.audit.counts import area_of
from gatehouse.training.examples import FRAUD, Examples
from gatehouse.training.metrics import measure
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.model_training import TrainingOptions, in_order
from gatehouse.training.replay.examples import gather_history
from gatehouse.training.replay.ordered_lines import ordered_lines
from gatehouse.training.replay.replay import ReplayOptions
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel, LabelAudit
from gatehouse.training.report.audit_text import TITLES, audit_summary, audit_text
from gatehouse.training.report.report import decode_report, encode_report
from tests.training.material import merchant, report

DAY_S = 86_400.0
BEGIN_S = 1_700_000_000.0
REQUESTS = 4000
OPTIONS = TrainingOptions(FitOptions(), label_delay_ms=0)
Change = Callable[[dict[str, float], bool, int], dict[str, Any]]


def _plain(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
    """Every customer orders once or twice, and every order is an order of its own."""
    amount = 20 + (number * 7919 % 480)
    entities = [(kinds.USER, f"u{number * 31 % 3000}"), (kinds.TRANSACTION, f"t{number}")]
    return {"values": signals, "paid": (float(amount), "USD"), "entities": entities}


def _examples(
    change: Change = _plain, *, labels: float = 0.3, took_days: float = 20.0, rate: float = -3.4
) -> Examples:
    """A year of a shop whose labels come some days after its orders."""
    examples, dice = Examples(tuple(BY_CODE)), random.Random(3)
    for number, (signals, fraud) in enumerate(merchant(REQUESTS, rate=rate)):
        at_s = BEGIN_S + number * 365 * DAY_S / REQUESTS
        row = examples.add(at_s, **change(signals, fraud, number))
        if fraud or dice.random() < labels:
            examples.set_label(row, fraud, at_s + dice.uniform(0, took_days) * DAY_S)
    return examples


def _audit(examples: Examples, *, wait_days: float = 40.0, presume: bool = True) -> LabelAudit:
    options = TrainingOptions(FitOptions(), label_delay_ms=0, presume=presume)
    return audit_examples(examples, options, BEGIN_S + (365 + wait_days) * DAY_S, BEGIN_S)


def _found(audit: LabelAudit, check: AuditCheck) -> AuditFinding:
    return next(each for each in audit.findings if each.check is check)


@pytest.fixture(scope="module")
def honest() -> LabelAudit:
    return _audit(_examples())


def test_honest_data_passes_all_ten_checks(honest: LabelAudit) -> None:
    assert [each.check for each in honest.findings] == list(AuditCheck)
    assert {each.check: each.level for each in honest.findings} == dict.fromkeys(
        AuditCheck, AuditLevel.OK
    )
    assert honest.records == REQUESTS
    assert honest.worst is AuditLevel.OK


def test_an_area_is_the_one_that_models_are_measured_by() -> None:
    dice = np.random.default_rng(1)
    fraud, risk = dice.random(500) < 0.2, dice.random(500).round(2)
    assert area_of(fraud, risk) == pytest.approx(measure(fraud, risk).auc)


def test_a_signal_that_is_nearly_the_label_is_told() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        told = 8.0 + number % 5 if fraud else number % 9
        return _plain(signals | {"VEL_IP_EVENTS": float(told)}, fraud, number)

    found = _found(_audit(_examples(change)), AuditCheck.SINGLE_FEATURE)
    assert found.level is AuditLevel.WARNING
    assert found.figures["signal"] == "VEL_IP_EVENTS"
    assert float(found.figures["area"]) > 0.95
    assert "VEL_IP_EVENTS alone" in found.said


def test_an_amount_that_is_nearly_the_label_is_told() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        paid = (900.0 + number % 50 if fraud else 10.0 + number % 800, "USD")
        return _plain(signals, fraud, number) | {"paid": paid}

    found = _found(_audit(_examples(change)), AuditCheck.SINGLE_FEATURE)
    assert (found.level, found.figures["signal"]) == (AuditLevel.WARNING, "amount")


def test_a_value_with_very_much_fraud_is_told_with_its_lift() -> None:
    dice = random.Random(8)

    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        has = dice.random() < (0.7 if fraud else 0.002)
        return _plain(signals | ({"IP_TOR_EXIT": 1.0} if has else {}), fraud, number)

    found = _found(_audit(_examples(change, rate=-5.6)), AuditCheck.STRONG_VALUE)
    assert found.level is AuditLevel.WARNING
    assert found.figures["signal"] == "IP_TOR_EXIT"
    assert float(found.figures["lift"]) > 25
    assert 0.55 < float(found.figures["fraudShare"]) < 0.85


def test_identifiers_that_are_the_whole_model_are_told() -> None:
    """A few customers are all the fraud, and nothing that was measured tells them apart."""

    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        user = f"thief{number % 6}" if fraud else f"u{number % 1500}"
        plain = {"ORDER_PLAUSIBLE": 1.0, "VEL_IP_EVENTS": float(number % 4)}
        return {"values": plain, "entities": [(kinds.USER, user)]}

    audit = _audit(_examples(change))
    found = _found(audit, AuditCheck.IDENTIFIERS)
    assert found.level is AuditLevel.WARNING
    assert float(found.figures["identifiers"]) > 0.95
    assert _found(audit, AuditCheck.REPETITIONS).level is AuditLevel.NOTICE
    assert _found(audit, AuditCheck.REPETITIONS).figures["knownFraudShare"] == 1.0


def test_without_identifiers_nothing_is_said_about_them() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        return {"values": signals}

    audit = _audit(_examples(change))
    for check in (AuditCheck.IDENTIFIERS, AuditCheck.REPETITIONS):
        assert _found(audit, check).level is AuditLevel.UNKNOWN


def test_a_part_without_any_fraud_is_told_if_nearly_all_requests_are_in_it() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        has = fraud or number % 25 == 0
        return _plain(signals | ({"IP_TOR_EXIT": 1.0} if has else {}), fraud, number)

    found = _found(_audit(_examples(change, rate=-5.0)), AuditCheck.FRAUD_FREE)
    assert found.level is AuditLevel.WARNING
    assert found.figures["signal"] == "IP_TOR_EXIT"
    assert float(found.figures["share"]) > 0.9


def test_frauds_that_look_like_honest_orders_in_everything_are_told() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        return {"values": {"UA_CURRENT": 1.0} if number % 2 else {"UA_OUTDATED": 400.0}}

    found = _found(_audit(_examples(change)), AuditCheck.CONTRADICTIONS)
    assert (found.level, found.figures["share"]) == (AuditLevel.WARNING, 1.0)


@pytest.mark.parametrize(
    ("with_fraud", "level"), [(True, AuditLevel.WARNING), (False, AuditLevel.NOTICE)]
)
def test_a_signal_that_comes_with_one_label_alone_is_told(
    with_fraud: bool, level: AuditLevel
) -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        has = fraud is with_fraud and number % 2 == 0
        return _plain(signals | ({"IP_TOR_EXIT": 1.0} if has else {}), fraud, number)

    found = _found(_audit(_examples(change)), AuditCheck.AFTERWARDS)
    assert (found.level, found.figures["signal"]) == (level, "IP_TOR_EXIT")


def test_a_model_that_does_worse_with_time_is_told() -> None:
    """What fraud was told by in the first months says nothing in the last ones."""
    dice = random.Random(4)

    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        age = number / REQUESTS
        knows = dice.random() < (1.0 if age < 0.6 else 0.15)
        pace = 6.0 if (fraud and knows) else float(dice.randrange(4))
        return _plain({"VEL_IP_EVENTS": pace + dice.random() * 3}, fraud, number)

    found = _found(_audit(_examples(change)), AuditCheck.FALLING_QUALITY)
    assert found.level is AuditLevel.WARNING
    areas = [float(each) for name, each in found.figures.items() if name.startswith("area")]
    assert len(areas) == 4
    assert areas[0] - areas[-1] > 0.1
    assert "train more often" in found.said


def test_a_model_that_is_worse_than_chance_is_told_as_such() -> None:
    """What spoke for fraud speaks against it in the second half."""
    dice = random.Random(4)

    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        pace = dice.random() + (fraud is (number / REQUESTS < 0.45))
        return _plain({"VEL_IP_EVENTS": 1.0 + pace}, fraud, number)

    found = _found(_audit(_examples(change)), AuditCheck.FALLING_QUALITY)
    assert found.level is AuditLevel.WARNING
    assert "worse than chance" in found.said
    assert "train more often" not in found.said


def test_of_noise_nothing_is_advised() -> None:
    dice = random.Random(6)

    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        return _plain({"VEL_IP_EVENTS": dice.random() * 9}, fraud, number)

    found = _found(_audit(_examples(change)), AuditCheck.FALLING_QUALITY)
    assert found.level is AuditLevel.UNKNOWN
    assert "no better than chance" in found.said


def test_of_few_frauds_no_fall_is_claimed_nor_denied() -> None:
    """Each period has some twelve frauds, with which an area can be anything."""
    found = _found(_audit(_examples(rate=-5.2)), AuditCheck.FALLING_QUALITY)
    assert found.level is AuditLevel.UNKNOWN
    assert " to " in found.said


def test_an_audit_of_a_replayed_history_finds_what_a_booster_finds(tmp_path: Path) -> None:
    """Its frauds are easily told; the model of the audit must not fail where others do not."""
    convert(cold_start(5), tmp_path / "past.jsonl.gz")
    judge, span = make_judge(Settings(), None, feeds=False), RecordSpan("acc", 0, 10**14)
    with (
        gzip.open(tmp_path / "past.jsonl.gz") as file,
        ordered_lines(file, Quiet().reached) as lines,
    ):
        found, _ = gather_history(lines, judge, span, ReplayOptions(7 * 86_400_000), Quiet())
        audit = audit_examples(found, OPTIONS, lines.last_s, None)
    rows = in_order(found)
    first = int(len(rows) * 0.8)
    fraud, matrix = found.outcomes(rows) == FRAUD, found.matrix(rows)
    matrix = matrix[:, ~np.isnan(matrix[:first]).all(axis=0)]
    booster = HistGradientBoostingClassifier(max_iter=40).fit(matrix[:first], fraud[:first])
    beside = area_of(fraud[first:], booster.predict_proba(matrix[first:])[:, 1])
    told = _found(audit, AuditCheck.IDENTIFIERS)
    assert told.level is AuditLevel.OK
    assert float(told.figures["everything"]) > beside - 0.03 > 0.9


@pytest.mark.parametrize(
    ("wait_days", "level"),
    [(100.0, AuditLevel.OK), (30.0, AuditLevel.NOTICE), (-100.0, AuditLevel.WARNING)],
)
def test_requests_that_are_younger_than_their_labels_are_told(
    wait_days: float, level: AuditLevel
) -> None:
    found = _found(_audit(_examples(took_days=100.0), wait_days=wait_days), AuditCheck.LABEL_DELAY)
    assert found.level is level
    assert 80 < float(found.figures["daysUntilKnown"]) < 100


def test_without_the_time_of_labels_their_delay_is_not_guessed() -> None:
    found = _found(_audit(_examples(took_days=0.0)), AuditCheck.LABEL_DELAY)
    assert found.level is AuditLevel.UNKNOWN
    assert "when they became known" in found.said


@pytest.mark.parametrize(
    ("rate", "labels", "presume", "level", "said"),
    [
        (-8.5, 0.3, True, AuditLevel.WARNING, "few"),
        (-6.1, 0.3, True, AuditLevel.NOTICE, "few"),
        (-0.5, 0.3, True, AuditLevel.WARNING, "labels were chosen"),
        (-3.4, 0.0, True, AuditLevel.NOTICE, "only frauds are labelled"),
    ],
)
def test_too_few_too_many_and_frauds_alone_are_told(
    rate: float, labels: float, presume: bool, level: AuditLevel, said: str
) -> None:
    audit = _audit(_examples(rate=rate, labels=labels), presume=presume)
    found = _found(audit, AuditCheck.BALANCE)
    assert found.level is level
    assert said in found.said


def test_with_a_handful_of_frauds_only_the_labels_are_judged() -> None:
    audit = _audit(_examples(rate=-8.5))
    levels = {each.check: each.level for each in audit.findings}
    judged = {AuditCheck.BALANCE, AuditCheck.LABEL_DELAY}
    assert {each for each, level in levels.items() if level is not AuditLevel.UNKNOWN} == judged


def test_transactions_that_were_sent_again_are_told() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        return _plain(signals, fraud, number) | {
            "entities": [(kinds.TRANSACTION, f"t{number % 3700}")]
        }

    found = _found(_audit(_examples(change)), AuditCheck.REPETITIONS)
    assert found.level is AuditLevel.WARNING
    assert math.isclose(float(found.figures["repeatedShare"]), 300 / 800, abs_tol=0.02)


def test_without_any_label_there_is_nothing_to_audit() -> None:
    examples = Examples(tuple(BY_CODE))
    examples.add(BEGIN_S, {})
    with pytest.raises(InvalidInput, match="none of the 1 requests"):
        audit_examples(examples, OPTIONS, BEGIN_S, None)


def test_an_audit_is_kept_with_the_report_and_read_again(honest: LabelAudit) -> None:
    kept = report(audit=honest)
    assert decode_report(encode_report(kept)) == kept
    assert decode_report(encode_report(report())).audit is None


def test_an_audit_is_told_in_words(honest: LabelAudit) -> None:
    text = audit_text(honest)
    assert text.startswith(f"labels of 4,000 requests, {honest.frauds} of them fraud")
    assert all(title in text for title in TITLES.values())
    assert audit_summary(honest) == "audit of the labels, 10 checks: all ok"
    few = audit_summary(_audit(_examples(rate=-8.5)))
    assert few.startswith("audit of the labels, 10 checks: 1 warnings, 8 not told\nwarning: ")


def test_nothing_of_a_person_is_in_an_audit() -> None:
    def change(signals: dict[str, float], fraud: bool, number: int) -> dict[str, Any]:
        plain = _plain(signals, fraud, number)
        entities = [(kinds.EMAIL, f"person{number % 40}@example.com")]
        return plain | {"entities": entities, "paid": (123.45, "USD")}

    audit = _audit(_examples(change))
    told = "".join(f"{each.said}{dict(each.figures)}" for each in audit.findings)
    assert "person" not in told
    assert "example.com" not in told
