"""When authentication can be left out: every limit at its edge, and what needs it whatever."""

from typing import Any

import pytest

from gatehouse.sentry.authentication.advice import (
    AdvisedExemption,
    ChallengeIndicator,
    LiableParty,
    ScaAction,
    ScaReason,
)
from gatehouse.sentry.authentication.checklist import (
    RiskAnswer,
    RiskPoint,
    WhatWasSeen,
    answered_points,
    point_of,
)
from gatehouse.sentry.authentication.known import CardState, PaymentScope
from gatehouse.sentry.authentication.terms import (
    AuthenticationTerms,
    ExemptionPlacement,
    MeasuredFraudRate,
)
from gatehouse.sentry.scorecard import load_sheet
from tests.sentry.authentication.situations import UNIT, advised, known, limits, points

RISK = AdvisedExemption.TRANSACTION_RISK_ANALYSIS
LOW = AdvisedExemption.LOW_VALUE
NO_RISK_ANALYSIS: dict[str, Any] = {"tra_up_to": 0}


@pytest.mark.parametrize(
    ("amount", "exemption"), [(30.00, LOW), (30.01, None), (0.01, LOW), (29.999999, LOW)]
)
def test_a_low_value_is_up_to_thirty(amount: float, exemption: AdvisedExemption | None) -> None:
    found = advised(known(amount), **NO_RISK_ANALYSIS)
    assert found.exemption is exemption
    assert found.advice is (ScaAction.EXEMPT if exemption else ScaAction.FRICTIONLESS)
    assert (ScaReason.ABOVE_LOW_VALUE in found.reasons) == (exemption is None)


@pytest.mark.parametrize(
    ("count", "spent", "reason", "placement"),
    [
        (5, 100.0, None, ExemptionPlacement.AUTHORIZATION),
        (6, 100.0, ScaReason.ONE_COUNTER_REACHED, ExemptionPlacement.AUTHENTICATION),
        (5, 100.01, ScaReason.ONE_COUNTER_REACHED, ExemptionPlacement.AUTHENTICATION),
        (6, 100.01, ScaReason.COUNTERS_REACHED, None),
        (5, None, ScaReason.COUNTERS_UNKNOWN, ExemptionPlacement.AUTHENTICATION),
        (6, None, ScaReason.COUNTERS_REACHED, None),
    ],
)
def test_counters_hold_until_a_hundred_and_five(
    count: int,
    spent: float | None,
    reason: ScaReason | None,
    placement: ExemptionPlacement | None,
) -> None:
    card = CardState(count, None if spent is None else round(spent * UNIT))
    found = advised(known(10.0, card=card), **NO_RISK_ANALYSIS)
    assert (reason is None) or reason in found.reasons
    if placement is None:
        assert found.advice is ScaAction.FRICTIONLESS
        assert found.exemption is None
    else:
        assert (found.exemption, found.placement) == (LOW, placement)


def test_without_a_card_a_refusal_shall_become_a_challenge() -> None:
    found = advised(known(10.0, card=None), **NO_RISK_ANALYSIS)
    assert (found.exemption, found.placement) == (LOW, ExemptionPlacement.AUTHENTICATION)
    assert ScaReason.COUNTERS_UNKNOWN in found.reasons


def test_risk_analysis_comes_before_a_low_value() -> None:
    found = advised(known(10.0))
    assert found.exemption is RISK
    assert found.challenge_indicator is ChallengeIndicator.RISK_ANALYSED
    assert found.liability is LiableParty.MERCHANT
    assert advised(known(10.0), **NO_RISK_ANALYSIS).exemption is LOW


@pytest.mark.parametrize(
    ("amount", "band"),
    [(100.0, 100), (100.01, 250), (250.0, 250), (250.01, 500), (500.0, 500), (500.01, None)],
)
def test_bands_of_article_18(amount: float, band: int | None) -> None:
    found = advised(known(amount))
    assert found.tra_band == band
    assert found.exemption is (None if band is None else RISK)
    assert (ScaReason.ABOVE_ALL_BANDS in found.reasons) == (band is None)


@pytest.mark.parametrize(("amount", "allowed"), [(100.0, True), (100.01, False)])
def test_an_acquirer_that_asks_up_to_a_hundred(amount: float, allowed: bool) -> None:
    found = advised(known(amount), tra_up_to=100)
    assert (found.exemption is RISK) == allowed
    assert (ScaReason.ACQUIRER_DOES_NOT_ASK in found.reasons) != allowed


@pytest.mark.parametrize(
    ("fraud", "largest"),
    [
        (0, 500),
        (100, 500),  # 0.01 % exactly
        (101, 250),
        (600, 250),  # 0.06 % exactly
        (601, 100),
        (1_300, 100),  # 0.13 % exactly
        (1_301, 0),
    ],
)
def test_the_own_rate_may_be_the_reference_rate_and_no_more(fraud: int, largest: int) -> None:
    measured = MeasuredFraudRate("2026-11-15", fraud, 1_000_000)
    for amount in (100, 250, 500):
        found = advised(known(float(amount)), measured=measured)
        assert (found.exemption is RISK) == (amount <= largest)
        assert (ScaReason.OWN_RATE_ABOVE in found.reasons) == (amount > largest)


def test_a_band_that_was_stopped_is_not_used() -> None:
    measured = MeasuredFraudRate("2026-11-15", 0, 1_000_000, (500,))
    assert ScaReason.BAND_STOPPED in advised(known(300.0), measured=measured).reasons
    assert advised(known(200.0), measured=measured).exemption is RISK


@pytest.mark.parametrize(
    ("confidence", "advice"),
    [
        (1_999, ScaAction.DECLINE),
        (2_000, ScaAction.CHALLENGE),
        (4_999, ScaAction.CHALLENGE),
        (5_000, ScaAction.FRICTIONLESS),
        (8_499, ScaAction.FRICTIONLESS),
        (8_500, ScaAction.EXEMPT),
    ],
)
def test_the_accounts_thresholds_of_confidence(confidence: int, advice: ScaAction) -> None:
    found = advised(known(60.0, confidence=confidence), decline_below=2_000)
    assert found.advice is advice


def test_a_high_risk_is_challenged_even_where_the_amount_is_low() -> None:
    found = advised(known(5.0, confidence=3_000))
    assert found.advice is ScaAction.CHALLENGE
    assert found.challenge_indicator is ChallengeIndicator.PREFERRED
    assert found.liability is LiableParty.ISSUER


@pytest.mark.parametrize(
    ("checklist", "reason"),
    [
        (points("DEVICE_NEW_FOR_ACCOUNT"), ScaReason.POINT_FOUND),
        (points("IP_TOR_EXIT"), ScaReason.POINT_FOUND),
        (points(seen=WhatWasSeen(False, True, True)), ScaReason.POINT_UNKNOWN),
        (points(seen=WhatWasSeen(True, False, True)), ScaReason.POINT_UNKNOWN),
        (points(seen=WhatWasSeen(True, True, False)), ScaReason.POINT_UNKNOWN),
    ],
)
def test_a_point_that_was_found_or_not_answered_rules_the_analysis_out(
    checklist: Any, reason: ScaReason
) -> None:
    found = advised(known(60.0, checklist=checklist))
    assert found.exemption is None
    assert reason in found.reasons


def test_one_leg_out() -> None:
    for scope in (PaymentScope.ISSUER_OUTSIDE, PaymentScope.ACQUIRER_OUTSIDE):
        found = advised(known(900.0, scope=scope))
        assert found.advice is ScaAction.OUT_OF_SCOPE
        assert found.exemption is AdvisedExemption.ONE_LEG_OUT
        assert not found.in_scope
        assert found.liability is LiableParty.MERCHANT
    risky = advised(known(900.0, scope=PaymentScope.ISSUER_OUTSIDE, confidence=3_000))
    assert (risky.advice, risky.in_scope) == (ScaAction.CHALLENGE, False)


def test_an_unknown_issuer_is_taken_to_be_inside() -> None:
    found = advised(known(60.0, scope=PaymentScope.ISSUER_UNKNOWN))
    assert found.in_scope
    assert ScaReason.ISSUER_UNKNOWN in found.reasons
    assert found.placement is ExemptionPlacement.AUTHENTICATION


def test_a_merchants_own_payment_needs_the_first_authentication() -> None:
    without = advised(known(60.0, merchant_initiated=True))
    assert without.advice is ScaAction.CHALLENGE
    assert without.challenge_indicator is ChallengeIndicator.MANDATED
    assert without.reasons[0] is ScaReason.NO_FIRST_AUTHENTICATION
    found = advised(known(60.0, merchant_initiated=True, has_reference=True))
    assert found.advice is ScaAction.OUT_OF_SCOPE
    assert found.exemption is AdvisedExemption.MERCHANT_INITIATED


def test_a_series_is_authenticated_once() -> None:
    first = advised(known(60.0, recurring=True))
    assert (first.advice, first.reasons[0]) == (ScaAction.CHALLENGE, ScaReason.FIRST_OF_SERIES)
    later = advised(known(60.0, recurring=True, has_reference=True))
    assert later.exemption is AdvisedExemption.RECURRING


@pytest.mark.parametrize(
    ("said", "exemption", "indicator", "latest"),
    [
        ("trusted", AdvisedExemption.TRUSTED_BENEFICIARY, "08", "08"),
        ("corporate", AdvisedExemption.SECURE_CORPORATE_PAYMENT, "02", "11"),
    ],
)
def test_what_the_caller_knows(
    said: str, exemption: AdvisedExemption, indicator: str, latest: str
) -> None:
    payment = known(900.0, **{said: True})
    assert advised(payment).exemption is exemption
    assert advised(payment).challenge_indicator == indicator
    assert advised(payment, latest_protocol=True).challenge_indicator == latest


@pytest.mark.parametrize("said", ["mail_or_telephone", "anonymous_card"])
def test_what_is_no_electronic_payment(said: str) -> None:
    assert advised(known(900.0, **{said: True})).advice is ScaAction.OUT_OF_SCOPE


def test_a_prepaid_card_is_inside_unless_it_is_anonymous() -> None:
    found = advised(known(60.0, prepaid=True))
    assert found.in_scope
    assert ScaReason.PREPAID_NOT_ANONYMOUS in found.reasons


def test_what_is_authenticated_needs_no_more() -> None:
    found = advised(known(900.0, authenticated=True))
    assert found.challenge_indicator is ChallengeIndicator.ALREADY_AUTHENTICATED
    assert found.liability is LiableParty.ISSUER


@pytest.mark.parametrize(("no_rate", "reason"), [(True, "NO_RATE"), (False, "NO_AMOUNT")])
def test_nothing_is_guessed_without_an_amount(no_rate: bool, reason: str) -> None:
    found = advised(known(None, no_rate=no_rate))
    assert found.exemption is None
    assert ScaReason(reason) in found.reasons


@pytest.mark.parametrize(
    ("amount", "exemption", "band"),
    [
        (25.0, LOW, 85),
        (25.01, None, 85),
        (85.0, None, 85),
        (85.01, None, 220),
        (440.0, None, 440),
        (440.01, None, None),
    ],
)
def test_limits_of_the_united_kingdom(
    amount: float, exemption: AdvisedExemption | None, band: int | None
) -> None:
    british = AuthenticationTerms("GB")
    found = advised(known(amount, limits=limits("GB")), british)
    assert (found.exemption, found.tra_band) == (exemption, band)
    asked = advised(known(amount, limits=limits("GB")), british, tra_up_to=440)
    assert (asked.exemption is RISK) == (band is not None)


def test_the_account_can_choose_the_place_and_leave_article_16() -> None:
    place = ExemptionPlacement.AUTHENTICATION
    assert advised(known(60.0), placement=place).placement is place
    found = advised(known(10.0), low_value=False, **NO_RISK_ANALYSIS)
    assert found.exemption is None
    assert advised(known(10.0), latest_protocol=True, tra_up_to=0).challenge_indicator == "10"


def test_every_reason_against_a_request_answers_a_point() -> None:
    worth = {term.code for term in load_sheet().terms if min(term.effects) < 0}
    answered = {point_of(code) for code in worth}
    assert answered == {*RiskPoint} - {RiskPoint.HIGH_RISK_PAYEE}
    assert point_of("CARD_REPUTATION_LONG") is RiskPoint.KNOWN_FRAUD
    assert point_of("ORDER_AMOUNT_HIGH") is RiskPoint.ABNORMAL_BEHAVIOUR


def test_weak_reasons_and_a_payee_at_risk() -> None:
    seen = WhatWasSeen(True, True, True)
    weak = answered_points({"IP_VPN": -0.2, "IP_CONSUMER": 0.35}, 0.3, seen, ("DE", False))
    assert {each.answer for each in weak} == {RiskAnswer.NOT_FOUND}
    found = answered_points({"IP_VPN": -0.3}, 0.3, seen, ("KP", True))
    assert [(each.point, each.by) for each in found if each.answer is RiskAnswer.FOUND] == [
        (RiskPoint.ABNORMAL_LOCATION, ("IP_VPN",)),
        (RiskPoint.HIGH_RISK_PAYEE, ("KP",)),
    ]
    assert len(found) == 6
