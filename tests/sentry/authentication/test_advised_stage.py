"""Advice on authentication in Sentry's answer, in signals, in the record and in its explanation."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import RecordedResult
from gatehouse.operations import stages as _registered
from gatehouse.sentry.authentication.advice import AdvisedPayment, ScaAction, ScaReason
from gatehouse.sentry.authentication.sentences import REASONS
from gatehouse.sentry.explaining import changes, findings
from gatehouse.sentry.records.answer import answer_again
from gatehouse.sentry.response import SentryResponse
from tests.sentry.authentication.shop import PROVEN, TERMS, AdvisedShop, advised_in
from tests.sentry.visits import CARD, GERMAN, HEADLESS, TOR, device, visit

assert _registered
AT_HOME = visit(ip=GERMAN, languages="de-DE,de;q=0.9")


def kept(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as a record gives them back."""
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(facts))
    if isinstance(read["signals"], list):
        from gatehouse.decisions.packed_values import PackedFeatures, features_in

        read["signals"] = features_in(msgspec.convert(read["signals"], PackedFeatures))
    return read


def test_an_ordinary_payment_is_exempt_by_the_analysis_of_its_risk() -> None:
    result = AdvisedShop().pay(59.9, **AT_HOME)
    assert isinstance(result.response, SentryResponse)
    told = msgspec.json.decode(msgspec.json.encode(result.response))["scaAdvice"]
    assert told["advice"] == "EXEMPT"
    assert told["exemption"] == "TRANSACTION_RISK_ANALYSIS"
    assert told["placement"] == "AUTHORIZATION"
    assert told["challengeIndicator"] == "05"
    assert told["liability"] == "MERCHANT"
    assert told["regime"] == "EEA"
    assert told["amount"] == {"currency": "EUR", "amount": 59.9}
    assert told["traBand"]["upTo"] == {"currency": "EUR", "amount": 100}
    assert told["traBand"]["referenceRate"] == 0.0013
    assert [each["answer"] for each in told["checklist"]] == ["NOT_FOUND"] * 6
    assert told["reasons"][0]["text"] == REASONS[ScaReason.TRA_ALLOWED]
    inside = msgspec.json.decode(msgspec.json.encode(result.inside))
    assert inside["scaAdvice"] == told


def test_tor_is_an_abnormal_location() -> None:
    found = AdvisedShop().advice(59.9, **AT_HOME | device(ip=TOR))
    by = {each.point.value: (each.answer.value, each.by) for each in found.known.checklist}
    assert by["ABNORMAL_LOCATION"][0] == "FOUND"
    assert "IP_TOR_EXIT" in by["ABNORMAL_LOCATION"][1]
    assert by["MALWARE"] == ("UNKNOWN", ())
    assert found.advice.exemption is None


def test_an_american_card_has_one_leg_out() -> None:
    found = AdvisedShop().advice(900.0, card=CARD)
    assert found.advice.advice is ScaAction.OUT_OF_SCOPE


def test_without_a_card_the_issuer_is_unknown_and_nothing_is_counted() -> None:
    found = AdvisedShop().advice(20.0, card=None, proof=PROVEN)
    assert ScaReason.ISSUER_UNKNOWN in found.advice.reasons
    assert found.known.card is None
    assert not found.known.authenticated


def test_a_renewal_needs_the_reference_of_its_first_payment() -> None:
    renewal: dict[str, Any] = {"event": {"type": "RECURRING_PURCHASE"}}
    shop = AdvisedShop()
    assert shop.advice(**renewal).advice.reasons[0] is ScaReason.NO_FIRST_AUTHENTICATION
    said: dict[str, Any] = {"authentication": {"initialReference": "013051234567890"}}
    assert shop.advice(**renewal, **said).advice.advice is ScaAction.OUT_OF_SCOPE


@pytest.mark.parametrize(("currency", "reason"), [("JPY", "NO_RATE"), ("XXX", "NO_RATE")])
def test_a_currency_without_a_rate(currency: str, reason: str) -> None:
    found = AdvisedShop().advice(10.0, currency=currency)
    assert ScaReason(reason) in found.advice.reasons
    assert found.advice.exemption is None


def test_the_record_gives_the_same_answer_signals_and_sentences() -> None:
    result = AdvisedShop().pay(59.9, **AT_HOME)
    facts = kept(result.facts)
    again = answer_again(RecordedResult(facts=facts, card=None, alone=True))
    assert msgspec.json.encode(again.response) == msgspec.json.encode(result.response)
    signals = REGISTRY.signals_of("Sentry", facts, completed=True)
    assert signals["sentry.scaAdvice.advice"] == "EXEMPT"
    assert signals["sentry.scaAdvice.exemption"] == "TRANSACTION_RISK_ANALYSIS"
    assert signals["sentry.scaAdvice.inScope"] is True
    texts = [each.text for each in findings(facts, None)]
    assert "On strong authentication the advice is EXEMPT (TRANSACTION_RISK_ANALYSIS)." in texts
    assert REASONS[ScaReason.TRA_ALLOWED] in texts
    assert any(each.startswith("None of the six points") for each in texts)


def test_advice_can_be_worked_out_again_from_the_record() -> None:
    found = advised_in(AdvisedShop().pay(59.9, **AT_HOME))
    days = found.table_as_of, found.rates_as_of
    assert AdvisedPayment.of(found.known, found.terms, days) == found


def test_what_would_have_changed_the_score_changes_the_advice() -> None:
    terms = msgspec.structs.replace(TERMS, challenge_below=6_000)
    result = AdvisedShop(terms).pay(59.9, **visit(ip=GERMAN, agent=HEADLESS))
    facts = kept(result.facts)
    assert advised_in(result).advice.advice is ScaAction.CHALLENGE
    other = [each.signals["sentry.scaAdvice.advice"] for each in changes(facts, None)]
    assert other
    assert any(each != "CHALLENGE" for each in other)


def test_an_account_that_does_not_ask_gets_the_answer_it_always_had() -> None:
    result = AdvisedShop(terms=None).pay(59.9, **AT_HOME)
    answer = msgspec.json.decode(msgspec.json.encode(result.response))
    assert {*answer} == {"requestConfidence", "reasons"}
    assert {*result.facts} == {
        *("requestConfidence", "ipScore", "model", "reasons", "signals", "event")
    }
