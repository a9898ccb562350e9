"""The advice by expected cost is the cheapest of three outcomes, in exact whole numbers."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import RecordedResult
from gatehouse.sentry.costs import (
    WHOLE,
    CostAdvice,
    CostPreset,
    CostTerms,
    ExpectedCosts,
    advise,
    expected_costs,
    risk_of,
)
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.records.answer import answer_again
from gatehouse.sentry.response import SentryResponse
from tests.sentry.test_stage import case, run, stage

TERMS = CostTerms("USD", 2500, CostPreset.BALANCE, 2000, 300, 350, 8000)
"""A margin of 25 %, 20.00 and 3 % for a chargeback, 3.50 for a review, of which 80 % find out."""
_shares = st.integers(0, WHOLE)
_fees = st.integers(0, 100_000)
_terms = st.builds(
    CostTerms, st.just("USD"), _shares, st.sampled_from(CostPreset), _fees, _shares, _fees, _shares
)


def half_up(exact: Fraction) -> int:
    return int(exact + Fraction(1, 2))


def test_an_order_costs_what_its_amount_margin_and_fees_say() -> None:
    # 10 % of (59.90 + 3 % + 20.00), 90 % of 25 % of 59.90, and 3.50 + 20 % of the lesser.
    assert expected_costs(TERMS, 5990, 1000) == ExpectedCosts(817, 513, 1348)


@given(_terms, st.integers(1, 10**9), _shares)
def test_costs_are_exact_and_rounded_once_with_halves_up(
    terms: CostTerms, amount: int, risk: int
) -> None:
    weight = {"protect": Fraction(2), "balance": Fraction(1), "revenue": Fraction(1, 2)}
    fraud = Fraction(risk, WHOLE)
    lost = amount * (1 + Fraction(terms.fee_share, WHOLE)) + terms.chargeback_fee
    accept = fraud * lost * weight[terms.preset]
    decline = (1 - fraud) * Fraction(terms.margin, WHOLE) * amount
    missed = 1 - Fraction(terms.review_finds, WHOLE)
    review = terms.review_cost + missed * min(accept, decline)
    found = expected_costs(terms, amount, risk)
    assert found == (half_up(accept), half_up(review), half_up(decline))


@given(_terms, st.integers(1, 10**7), _shares)
def test_what_a_milder_preset_declines_a_stricter_one_declines_too(
    terms: CostTerms, amount: int, risk: int
) -> None:
    advices = [expected_costs(terms, amount, risk, preset).advice for preset in CostPreset]
    declines = [advice is Outcome.DECLINE for advice in advices]
    assert declines == sorted(declines, reverse=True)


@pytest.mark.parametrize(
    ("costs", "advice"),
    [((5, 5, 5), "ACCEPT"), ((6, 5, 5), "REVIEW"), ((6, 7, 5), "DECLINE"), ((0, 9, 0), "ACCEPT")],
)
def test_of_equal_costs_the_mildest_outcome_wins(costs: tuple[int, int, int], advice: str) -> None:
    assert ExpectedCosts(*costs).advice == advice


def test_the_probability_of_fraud_is_what_the_confidence_leaves() -> None:
    assert [risk_of(each) for each in (1.0, 0.9999, 0.8914, 0.0003)] == [0, 1, 1086, 9997]


@pytest.mark.parametrize(
    ("amount", "currency"), [(None, "USD"), (59.9, None), (59.9, "EUR"), (0.0, "USD")]
)
def test_without_an_amount_in_the_currency_of_the_terms_there_is_no_advice(
    amount: float | None, currency: str | None
) -> None:
    assert advise(TERMS, amount, currency, 0.5) is None


def test_amounts_are_counted_in_the_smallest_unit_of_their_currency() -> None:
    yen = msgspec.structs.replace(TERMS, currency="JPY")
    found = advise(TERMS, 59.9, "USD", 0.9), advise(yen, 5990.0, "JPY", 0.9)
    known = [each for each in found if each is not None]
    assert [each.amount for each in known] == [5990, 5990]
    told = [each.signals["sentry.expectedCost.accept"] for each in known]
    assert told == [8.17, 817]


def with_costs(terms: CostTerms | None, *, decides: bool = False) -> Any:
    asked = case()
    if terms is not None:
        asked.policies[SentryPolicy] = SentryPolicy(costs=terms)
    sentry = stage(LocalMemory(100))
    return run(sentry.deciding() if decides else sentry, asked)


def test_an_account_without_costs_gets_the_answer_it_always_got() -> None:
    plain = with_costs(None)
    assert "costs" not in plain.facts
    assert set(msgspec.to_builtins(plain.response)) == {"requestConfidence", "reasons"}
    assert plain.verdict is None
    signals = REGISTRY.signals_of("Sentry", plain.facts, completed=True)
    assert not any("ost" in name for name in signals)


def test_with_costs_the_answer_and_the_signals_tell_them() -> None:
    found = with_costs(TERMS)
    kept = msgspec.json.decode(msgspec.json.encode({"costs": found.facts["costs"]}))
    advice = CostAdvice.recorded(kept)
    assert advice is not None
    risk = risk_of(found.facts["requestConfidence"])
    assert advice.costs == expected_costs(TERMS, advice.amount, risk)
    assert isinstance(found.response, SentryResponse)
    told = msgspec.json.decode(msgspec.json.encode(found.response))["costs"]
    assert told["advice"] == advice.advice
    assert (told["preset"], told["currency"]) == ("balance", "USD")
    assert told["accept"] == advice.costs.accept / 100
    signals = REGISTRY.signals_of("Sentry", found.facts, completed=True)
    assert signals["sentry.costAdvice"] == advice.advice
    assert signals["sentry.expectedCost.review"] == advice.costs.review / 100


def test_advice_is_a_verdict_only_where_the_pipeline_names_sentry() -> None:
    assert with_costs(TERMS).verdict is None
    found = with_costs(TERMS, decides=True)
    assert found.verdict == found.facts["costs"]["advice"]


def test_the_answer_is_made_again_from_the_record() -> None:
    found = with_costs(TERMS)
    kept = msgspec.json.decode(msgspec.json.encode({"costs": found.facts["costs"]}))
    facts = {**found.facts, **kept, "signals": {}, "reasons": {}}
    again = answer_again(RecordedResult(facts=facts, card=None, alone=True)).response
    assert isinstance(again, SentryResponse)
    assert msgspec.json.encode(again.costs) == msgspec.json.encode(found.response.costs)
