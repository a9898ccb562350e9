"""The catalogue and the signals of stages: one page for authors, servers and backtests."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable
from enum import StrEnum

import msgspec
import pytest

from gatehouse.conditions.catalogue import (
    LIST_KINDS,
    SIGNALS,
    VELOCITY,
    Catalogue,
    kinds_for,
    packed,
    read_signal,
)
from gatehouse.conditions.nodes import Type
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.signal_layout import rules_signals
from gatehouse.idverify.response import Result, VerificationLevel
from gatehouse.idverify.stage import IdVerifyStage
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result
from gatehouse.sentry.authentication.advice import FACT, AdvisedPayment
from tests.idverify.asking import ask
from tests.idverify.test_stage import EVERYTHING, PlaySource, case_of
from tests.sentry.authentication.situations import GERMAN, known


def test_every_signal_says_what_it_is() -> None:
    for name, signal in SIGNALS.items():
        assert signal.name == name
        assert signal.group == name.partition(".")[0]
        assert signal.about.endswith("."), name
        secret = name.lower().endswith("fingerprint")
        assert signal.example or signal.type is Type.BOOLEAN or secret, name


@pytest.mark.parametrize(
    ("signal", "words"),
    [
        ("precheck.advice", Advice),
        ("precheck.avsResult", AvsResult),
        ("precheck.cvv2Result", Cvv2Result),
        ("idverify.passport", Result),
        ("idverify.level", VerificationLevel),
        ("rules.status", Outcome),
    ],
)
def test_closed_sets_of_values_are_those_of_the_stages(signal: str, words: type[StrEnum]) -> None:
    assert set(SIGNALS[signal].values) == {word.value for word in words}


def test_declared_inputs_are_signals_too() -> None:
    catalogue = Catalogue({"tier": Type.TEXT})
    found = catalogue.find("custom.tier")
    assert found is not None
    assert (found.type, found.group) == (Type.TEXT, "custom")
    assert "custom.tier" in catalogue.names()
    assert Catalogue().find("custom.tier") is None


@pytest.mark.parametrize("key", ["", "1a", "a-b", "a.b", "é", "a" * 65, "a\n"])
def test_an_input_needs_a_plain_name(key: str) -> None:
    with pytest.raises(InvalidInput, match="cannot name an input"):
        Catalogue({key: Type.TEXT})


def test_an_input_cannot_be_words() -> None:
    with pytest.raises(InvalidInput, match="number, text or boolean"):
        Catalogue({"a": Type.WORDS})


def test_every_signal_of_a_list_kind_is_a_text() -> None:
    for signals in LIST_KINDS.values():
        for name in signals:
            assert name == "custom.*" or SIGNALS[name].type is Type.TEXT
    assert kinds_for("custom.tier") == ("words",)
    assert kinds_for("billing.country") == ("countries",)
    assert kinds_for("order.currency") == ()


def test_velocity_is_packed_without_loss() -> None:
    signals = {
        "order.amount": 5,
        **{f"velocity.{group}": list(range(len(names))) for group, names in VELOCITY.items()},
    }
    names = [f"velocity.{group}.{name}" for group, names in VELOCITY.items() for name in names]
    flat = {name: read_signal(signals, name) for name in ("order.amount", *names)}
    assert flat["velocity.card.count_1h"] == 1
    assert packed(flat) == signals


def test_a_measure_that_is_missing_is_unknown() -> None:
    signals = packed({"velocity.card.count_1h": 3, "velocity.card.count_1m": None})
    assert read_signal(signals, "velocity.card.count_1h") == 3
    assert read_signal(signals, "velocity.card.count_1m") is None
    assert read_signal(signals, "velocity.ip.count_1m") is None
    assert read_signal({"velocity.card": [1]}, "velocity.card.count_1h") is None


def _fit(signals: dict[str, object]) -> Iterable[str]:
    kinds = {Type.TEXT: str, Type.NUMBER: float, Type.BOOLEAN: bool, Type.WORDS: list}
    for name, value in signals.items():
        assert type(value) is kinds[SIGNALS[name].type], name
        allowed = SIGNALS[name].values
        assert not allowed or value in allowed, name
        yield name


def test_id_verify_gives_every_one_of_its_signals() -> None:
    case = case_of(ask(**EVERYTHING, payeeName="Ann Archer"))
    result = asyncio.run(IdVerifyStage(PlaySource(), time_limit_ms=100).run(case))
    signals = REGISTRY.signals_of("IdVerify", result.facts, completed=result.completed)
    absent = {"idverify.driverLicense", "idverify.nationalIdentity"}
    assert set(_fit(signals)) | absent == {n for n in SIGNALS if n.startswith("idverify.")}
    assert signals["idverify.email"] == "MATCH"
    recorded = json.loads(msgspec.json.encode(result.facts))
    assert REGISTRY.signals_of("IdVerify", recorded, completed=True) == signals


@pytest.mark.parametrize(
    ("stage", "facts"),
    [
        (
            "Sentry",
            {
                "requestConfidence": 0.5,
                "ipScore": 0.25,
                "model": "1",
                "reasons": {"ip_tor": -1.5},
                "signals": {},
                "ownConfidence": 0.4,
                "shadow": {"model": "learned-2", "requestConfidence": 0.3},
                "outcomeScores": {
                    **{"fraudDispute": 0.1, "reportedFraud": 0.2},
                    **{"cardTesting": 0.3, "abuse": 0.4},
                },
                FACT: AdvisedPayment.of(known(), GERMAN, ("2026-11-01", "2026-11-01")).facts,
                "costs": {
                    **{"accept": 900, "review": 500, "decline": 1200},
                    **{"amount": 5000, "risk": 400_000},
                    "terms": {"currency": "USD", "margin": 2500},
                },
            },
        ),
        (
            "PreCheck",
            {
                "advice": Advice.ACCEPT,
                "avsResult": AvsResult.FULL_MATCH,
                "cvv2Result": Cvv2Result.MATCH,
                "reasons": ["test_card"],
            },
        ),
        ("Gateway", {"status": "APPROVED", "responseCode": "00", "approvalCode": "123456"}),
    ],
)
def test_a_stage_gives_the_same_signals_live_and_out_of_its_record(
    stage: str, facts: dict[str, object]
) -> None:
    signals = REGISTRY.signals_of(stage, facts, completed=True)
    group = stage.lower()
    assert set(_fit(signals)) == {name for name in SIGNALS if name.startswith(f"{group}.")}
    assert (
        REGISTRY.signals_of(stage, json.loads(msgspec.json.encode(facts)), completed=True)
        == signals
    )
    assert REGISTRY.signals_of(stage, {}, completed=False)[f"{group}.completed"] is False


def test_the_rules_stages_give_their_signals() -> None:
    signals = rules_signals(Outcome.REVIEW, ("a", "b"), True)
    assert set(_fit(signals)) == {name for name in SIGNALS if name.startswith("rules.")}
    assert signals["rules.matched"] == ["a", "b"]


def test_a_stage_without_signals_adds_none() -> None:
    assert REGISTRY.signals_of("Rules", {"status": "REVIEW"}, completed=True) == {}


def test_a_server_runs_conditions_without_a_parser_or_a_database_engine() -> None:
    code = (
        "import sys, gatehouse.conditions.compile_python, gatehouse.operations.stages,"
        " gatehouse.conditions.compile_sql, gatehouse.api.manage.catalogue\n"
        "assert len(gatehouse.api.manage.catalogue.all_endpoints()) > 50\n"
        "assert not {'sqlglot', 'duckdb', 'yaml'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
