"""Fitting: what the data says is learned, what it does not say stays, and confidence means it."""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gatehouse.core.errors import InvalidInput
from gatehouse.sentry.scorecard import Prior, Scorecard, Sheet, Term, confidence, load_sheet
from gatehouse.training.examples import Examples
from gatehouse.training.model_fitting import LEAST_TOLD, FitOptions, Fitted, fit, totals
from gatehouse.training.shaping import MOST_CUTS

QUICK = FitOptions(bags=2)
CODES = ("RISE", "FLAG", "COUNT", "NOISE", "ALWAYS", "NEVER", "RARE", "WILD", "VAST")
BASE = Sheet(
    "base",
    Prior(0.6, "A test."),
    0.1,
    tuple(
        Term(code, (0.5,), (0.0, -0.4), "A test.", "kin", about_address=code == "FLAG")
        for code in CODES
    ),
)


class Merchant(NamedTuple):
    """Requests of a merchant that never was, with their true risk."""

    examples: Examples
    risk: NDArray[np.float64]

    def rows(self, start: int = 0, end: int | None = None) -> NDArray[np.int64]:
        return np.arange(len(self.examples))[start:end]


def make_merchant(
    requests: int, constant: float, *, seed: int = 1, later: float = 0.0, wrong: float = 0.0
) -> Merchant:
    """Requests whose log-odds of fraud are known; more by `later` in the second half."""
    dice = np.random.default_rng(seed)
    examples = Examples(CODES)
    rise = dice.normal(size=requests).round(4)
    flag = dice.random(requests) < 0.2
    count = dice.poisson(2, requests)
    odds = constant + 1.5 * np.tanh(rise) * 2 + 1.5 * flag - 0.4 * np.minimum(count, 4)
    odds[requests // 2 :] += later
    risk = 1 / (1 + np.exp(-odds))
    fraud = dice.random(requests) < risk
    fraud ^= dice.random(requests) < wrong
    noise = dice.random(requests).round(4)
    for row in range(requests):
        signals: dict[str, float] = {"RISE": float(rise[row]), "ALWAYS": 1.0}
        if flag[row]:
            signals["FLAG"] = 1.0
        if count[row]:
            signals["COUNT"] = float(count[row])
        if row % 3:
            signals["NOISE"] = float(noise[row])
        if row % 400 == 7:
            signals["RARE"] = 1.0
        if row % 2:
            signals["WILD"] = (math.inf, -math.inf, 0.5, math.nan)[row // 2 % 4]
            signals["VAST"] = (1e308, -1e308, 5e-324, 1.0)[row // 2 % 4]
        examples.add(float(row), signals)
        examples.set_label(row, bool(fraud[row]))
    return Merchant(examples, risk)


def risk_of(fitted: Fitted, merchant: Merchant, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.array(
        [1 - confidence(each) for each in totals(fitted.sheet, merchant.examples, rows)]
    )


def calibration_error(fraud: NDArray[np.float64], risk: NDArray[np.float64]) -> float:
    bins = np.minimum((risk * 15).astype(int), 14)
    return float(
        sum(
            abs(risk[bins == each].mean() - fraud[bins == each].mean()) * (bins == each).mean()
            for each in np.unique(bins)
        )
    )


def terms_of(fitted: Fitted) -> dict[str, Term]:
    return {term.code: term for term in fitted.sheet.terms}


def effect(term: Term, value: float) -> float:
    return (
        Scorecard(Sheet("one", Prior(0.5, "A test."), 0.0, (term,)), [term.code])
        .score({term.code: value})
        .total
    )


@pytest.fixture(scope="module")
def merchant() -> Merchant:
    return make_merchant(8000, -4.0)


@pytest.fixture(scope="module", params=["ebm", "logistic"])
def fitted(merchant: Merchant, request: pytest.FixtureRequest) -> Fitted:
    return fit(
        merchant.examples, merchant.rows(), BASE, "v-1", FitOptions(method=request.param, bags=2)
    )


# ---- What a fit gives --------------------------------------------------------------------------


def test_a_fitted_sheet_is_a_scorecard(fitted: Fitted) -> None:
    card = Scorecard(fitted.sheet, CODES)
    assert card.version == "v-1"
    assert fitted.sheet.report_from == LEAST_TOLD
    assert [term.code for term in fitted.sheet.terms] == list(CODES)


def test_what_was_learned_points_where_the_truth_does(fitted: Fitted) -> None:
    terms = terms_of(fitted)
    assert effect(terms["RISE"], -1.5) > effect(terms["RISE"], 0.0) + 0.8
    assert effect(terms["RISE"], 0.0) > effect(terms["RISE"], 1.5) + 0.8
    assert effect(terms["FLAG"], 1.0) == pytest.approx(-1.5, abs=0.5)
    assert effect(terms["COUNT"], 4.0) > effect(terms["COUNT"], 1.0) + 0.4
    assert abs(effect(terms["NOISE"], 0.5)) < 0.4


def test_terms_are_short_and_their_steps_differ(fitted: Fitted) -> None:
    for code in fitted.learned:
        term = terms_of(fitted)[code]
        assert len(term.cuts) <= MOST_CUTS
        assert all(round(each, 4) == each for each in term.effects)
        assert all(one != other for one, other in pairwise(term.effects))


def test_learned_terms_say_so_and_stand_alone(fitted: Fitted) -> None:
    for code in fitted.learned:
        term = terms_of(fitted)[code]
        assert term.why == f"Learned from 8000 requests, {fitted.frauds} of them fraud."
        assert term.family is None
        assert term.about_address == (code == "FLAG")


def test_what_the_data_cannot_speak_of_stays_as_it_was(fitted: Fitted) -> None:
    kept = {term.code: term for term in BASE.terms}
    for code in ("ALWAYS", "NEVER", "RARE"):
        assert code not in fitted.learned
        assert terms_of(fitted)[code] == kept[code]
    assert {"RISE", "FLAG", "COUNT"} <= set(fitted.learned)


def test_a_fit_tells_what_it_was_made_of(fitted: Fitted, merchant: Merchant) -> None:
    assert fitted.frauds == sum(merchant.examples.labels)
    assert fitted.frauds + fitted.legitimates == 8000


def test_confidence_means_what_it_says(fitted: Fitted) -> None:
    other = make_merchant(8000, -4.0, seed=2)
    risk = risk_of(fitted, other, other.rows())
    assert calibration_error(other.risk, risk) < 0.012
    assert np.corrcoef(risk, other.risk)[0, 1] > 0.9


def test_the_same_seed_gives_the_same_sheet(merchant: Merchant) -> None:
    rows = merchant.rows(0, 3000)
    sheets = [fit(merchant.examples, rows, BASE, "v", QUICK).sheet for _ in range(2)]
    assert sheets[0] == sheets[1]
    other = FitOptions(bags=2, seed=8)
    assert fit(merchant.examples, rows, BASE, "v", other).sheet != sheets[0]


def test_the_sheet_that_ships_can_be_the_base() -> None:
    examples = Examples([term.code for term in load_sheet().terms])
    for row in range(2000):
        bad = row % 50 == 0
        examples.add(float(row), {"IP_VPN": 0.9} if bad or row % 7 == 0 else {"CART_SIZE": 3.0})
        examples.set_label(row, bad)
    fitted = fit(examples, np.arange(2000), load_sheet(), "v", FitOptions())
    Scorecard(fitted.sheet, examples.codes)
    vpn = terms_of(fitted)["IP_VPN"]
    assert fitted.learned == ("IP_VPN",)
    assert effect(vpn, 0.9) < -1
    assert vpn.about_address


# ---- Which way, and whether at all -------------------------------------------------------------


def _labelled(frauds: int, legitimates: int) -> Examples:
    examples = Examples(CODES)
    for row in range(frauds + legitimates):
        bad = row < frauds
        examples.add(float(row), {"FLAG": 1.0} if bad or row % 9 == 0 else {})
        examples.set_label(row, bad)
    return examples


@pytest.mark.parametrize(
    ("frauds", "legitimates"), [(0, 0), (9, 5000), (5000, 99), (0, 100), (10, 0)]
)
def test_too_little_is_refused_with_what_there_is(frauds: int, legitimates: int) -> None:
    examples = _labelled(frauds, legitimates)
    with pytest.raises(InvalidInput, match=f"{frauds} known frauds and {legitimates} legitimate"):
        fit(examples, np.arange(len(examples)), BASE, "v", QUICK)


def test_rows_without_a_label_are_not_learned_from() -> None:
    examples = _labelled(30, 300)
    for row in range(25):
        examples.set_label(row, None)
    with pytest.raises(InvalidInput, match="5 known frauds"):
        fit(examples, np.arange(len(examples)), BASE, "v", QUICK)


@pytest.mark.parametrize(("frauds", "method"), [(10, "logistic"), (49, "logistic"), (50, "ebm")])
def test_the_way_suits_the_number_of_frauds(frauds: int, method: str) -> None:
    examples = _labelled(frauds, 1000)
    fitted = fit(examples, np.arange(len(examples)), BASE, "v", QUICK)
    assert fitted.method == method
    assert effect(terms_of(fitted)["FLAG"], 1.0) < -0.5
    Scorecard(fitted.sheet, CODES)


@pytest.mark.parametrize("method", ["ebm", "logistic"])
def test_data_that_says_nothing_moves_only_the_prior(method: Any) -> None:
    examples = Examples(CODES)
    for row in range(1000):
        examples.add(float(row), {"ALWAYS": 1.0})
        examples.set_label(row, row % 20 == 0)
    fitted = fit(examples, np.arange(1000), BASE, "v", FitOptions(method=method))
    assert fitted.learned == ()
    assert fitted.sheet.terms == BASE.terms
    card = Scorecard(fitted.sheet, CODES)
    assert 1 - card.score({"ALWAYS": 1.0}).confidence == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("method", ["ebm", "logistic"])
def test_labels_that_are_often_wrong_do_not_break_it(method: Any) -> None:
    merchant = make_merchant(3000, -4.0, wrong=0.2)
    fitted = fit(merchant.examples, merchant.rows(), BASE, "v", FitOptions(method=method, bags=2))
    fraud = merchant.examples.outcomes(merchant.rows()) == 1
    assert risk_of(fitted, merchant, merchant.rows()).mean() == pytest.approx(
        fraud.mean(), rel=0.15
    )


# ---- Sampling and calibration ------------------------------------------------------------------


def test_leaving_legitimate_requests_out_changes_no_confidence(
    monkeypatch: pytest.MonkeyPatch, merchant: Merchant
) -> None:
    monkeypatch.setattr("gatehouse.training.sampling.LEAST_LEGITIMATES", 500)
    some = FitOptions(bags=2, legitimate_per_fraud=3)
    fitted = fit(merchant.examples, merchant.rows(), BASE, "v", some)
    risk = risk_of(fitted, merchant, merchant.rows())
    assert risk.mean() == pytest.approx(merchant.risk.mean(), rel=0.15)
    assert calibration_error(merchant.risk, risk) < 0.015


def test_the_rate_of_fraud_of_the_latest_requests_counts() -> None:
    merchant = make_merchant(8000, -4.5, later=1.2)
    fitted = fit(merchant.examples, merchant.rows(), BASE, "v", QUICK)
    now = merchant.rows(6000)
    assert risk_of(fitted, merchant, now).mean() == pytest.approx(
        merchant.risk[now].mean(), rel=0.15
    )


# ---- Totals ------------------------------------------------------------------------------------

_CODES = ("A", "B", "C", "D", "E")
_numbers = st.sampled_from([-math.inf, -2.0, -0.5, 0.0, 0.1, 0.7, 1.0, 3.0, math.inf])
_finite = st.sampled_from([-2.0, -0.5, 0.0, 0.1, 0.7, 1.0, 3.0])


@st.composite
def _terms(draw: st.DrawFn, code: str) -> Term:
    cuts = sorted(draw(st.sets(_finite, max_size=4)))
    effects = draw(
        st.lists(st.floats(-4, 4) | st.just(0.0), min_size=len(cuts) + 1, max_size=len(cuts) + 1)
    )
    family = draw(st.sampled_from([None, "kin", "kith"]))
    return Term(code, tuple(cuts), tuple(effects), "A test.", family)


@given(
    st.tuples(*map(_terms, _CODES)),
    st.floats(0.001, 0.999),
    st.lists(st.dictionaries(st.sampled_from(_CODES), _numbers), min_size=1, max_size=6),
)
def test_totals_are_those_of_the_scorecard(
    terms: tuple[Term, ...], prior: float, requests: list[dict[str, float]]
) -> None:
    sheet = Sheet("random", Prior(prior, "A test."), 0.1, terms)
    examples = Examples(_CODES)
    for signals in requests:
        examples.add(0.0, signals)
    card = Scorecard(sheet, _CODES)
    found = totals(sheet, examples, np.arange(len(requests)))
    assert found == pytest.approx([card.score(each).total for each in requests], abs=1e-9)


def test_totals_of_the_sheet_that_ships_are_those_of_its_scorecard() -> None:
    sheet = load_sheet()
    codes = [term.code for term in sheet.terms]
    dice = np.random.default_rng(3)
    examples = Examples(codes)
    card = Scorecard(sheet, codes)
    expected = []
    for _ in range(300):
        chosen = dice.choice(codes, 20, replace=False)
        signals = {str(code): round(float(dice.exponential(3)), 4) for code in chosen}
        examples.add(0.0, signals)
        expected.append(card.score(signals).total)
    assert totals(sheet, examples, np.arange(300)) == pytest.approx(expected, abs=1e-9)
