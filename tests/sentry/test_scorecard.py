"""The scorecard: sound as a table, exact as a sum, and fair to what belongs together."""

import math
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import (
    LARGEST_TOTAL,
    Prior,
    Scorecard,
    ScorecardError,
    Sheet,
    Term,
    confidence,
    load_scorecard,
    load_sheet,
    logit,
    read_sheet,
)
from tests.harness.rows import each
from tests.sentry.visits import effect_of

SHEET = load_sheet()
TERMS = {term.code: term for term in SHEET.terms}
GETS_BETTER_WITH_MORE = {"SESSION_TOO_YOUNG", "ACCOUNT_NEW"}
"""Ages: the more of them, the less they count."""


def _sheet(*terms: Term, report_from: float = 0.1) -> Sheet:
    return Sheet("test", Prior(0.5, "A test."), report_from, terms)


def _term(code: str, *effects: float, cuts: Any = (0.5,), **more: Any) -> Term:
    return Term(code, tuple(cuts), effects or (0.0, -1.0), "A test.", **more)


def _card(*terms: Term, **more: Any) -> Scorecard:
    return Scorecard(_sheet(*terms, **more), [term.code for term in terms])


# ---- The table that ships ----------------------------------------------------------------------


def test_every_signal_has_one_term_and_every_term_a_signal() -> None:
    assert sorted(TERMS) == sorted(BY_CODE)
    assert len(SHEET.terms) == len(TERMS)
    assert SHEET.problems(BY_CODE) == []


def test_terms_stand_in_the_order_of_the_groups() -> None:
    groups = [BY_CODE[term.code].group for term in SHEET.terms]
    assert [one for one, other in pairwise([*groups, None]) if one != other] == list(
        dict.fromkeys(signal.group for signal in BY_CODE.values())
    )


@each(SHEET.terms)
def test_more_of_what_is_measured_counts_more(term: Term) -> None:
    strengths = [abs(effect) for effect in term.effects]
    if BY_CODE[term.code].says_in_favour is not None:
        # A reputation can be good or bad, and the worse it is, the more it lowers.
        assert list(term.effects) == sorted(term.effects, reverse=True)
        return
    if term.code in GETS_BETTER_WITH_MORE:
        strengths.reverse()
    assert strengths == sorted(strengths)
    assert strengths[0] == 0


@each(SHEET.terms)
def test_effects_go_one_way_or_there_is_a_sentence_for_both(term: Term) -> None:
    both = min(term.effects) < 0 < max(term.effects)
    assert not both or BY_CODE[term.code].says_in_favour is not None


@each(SHEET.terms)
def test_a_weight_is_explained_in_a_sentence(term: Term) -> None:
    assert term.why.endswith(".")
    assert term.why[0].isupper()


@each(SHEET.terms)
def test_whatever_counts_is_worth_telling(term: Term) -> None:
    assert all(not effect or abs(effect) >= SHEET.report_from for effect in term.effects)


def test_a_family_has_several_members_and_none_that_raises_much() -> None:
    for family in {term.family for term in SHEET.terms if term.family}:
        members = [term for term in SHEET.terms if term.family == family]
        assert len(members) > 1
        # All that raise count, so what a family of reputations can give must stay modest.
        assert sum(max(term.effects) for term in members) <= 1.2 + 1e-9


def test_only_what_knows_nothing_but_the_address_makes_the_score_of_the_address() -> None:
    about = {term.code for term in SHEET.terms if term.about_address}
    assert all(code.startswith(("IP_", "VEL_IP_", "VEL_NETWORK")) for code in about)
    assert {"IP_TOR_EXIT", "IP_CONSUMER", "VEL_IP_ACCOUNTS"} <= about
    assert "IP_CARD_COUNTRY_MISMATCH" not in about


def test_no_bundle_of_good_signs_outweighs_the_strongest_bad_ones() -> None:
    """All that can be faked, or be true of somebody whose account was stolen."""
    good = ["UA_CURRENT", "SESSION_ORDINARY", "ACCOUNT_NAMED", "ORDER_PLAUSIBLE", "CART_ADDS_UP"]
    best = sum(max(TERMS[code].effects) for code in good)
    worst = min(TERMS["IP_TOR_EXIT"].effects) + min(TERMS["UA_HEADLESS"].effects)
    assert confidence(logit(SHEET.prior.confidence) + best + worst) < 0.1


# ---- The sum -----------------------------------------------------------------------------------


def test_nothing_known_is_the_prior() -> None:
    scored = load_scorecard().score({})
    assert scored.confidence == pytest.approx(SHEET.prior.confidence)
    assert scored.ip_confidence == pytest.approx(SHEET.prior.confidence)
    assert scored.effects == []


@given(
    st.dictionaries(
        st.sampled_from(sorted(BY_CODE)), st.floats(0, 1e6, allow_nan=False), max_size=60
    )
)
def test_the_log_odds_are_the_prior_and_the_effects_that_count(values: dict[str, float]) -> None:
    scored = load_scorecard().score(values)
    total = logit(SHEET.prior.confidence) + math.fsum(effect for _, effect in scored.effects)
    assert scored.total == pytest.approx(total)
    assert 0 < scored.confidence < 1
    if abs(total) <= LARGEST_TOTAL:
        assert logit(scored.confidence) == pytest.approx(total)
    strengths = [abs(effect) for _, effect in scored.effects]
    assert strengths == sorted(strengths, reverse=True)


@given(
    st.dictionaries(st.sampled_from(sorted(BY_CODE)), st.sampled_from([0.0, 0.5, 1.0, 5.0, 1e4])),
    st.sampled_from(sorted(BY_CODE)),
)
def test_a_reason_is_worth_what_it_says_unless_its_family_steps_in(
    values: dict[str, float], code: str
) -> None:
    scored = load_scorecard().score(values)
    effect = effect_of(scored, code)
    without = load_scorecard().score({each: values[each] for each in values if each != code})
    if effect is None:
        assert without.total == pytest.approx(scored.total)
    elif TERMS[code].family is None:
        assert without.total == pytest.approx(scored.total - effect)
    else:
        assert scored.total <= without.total <= scored.total - effect + 1e-9


def test_a_value_at_a_cut_belongs_to_what_comes_after_it() -> None:
    card = _card(_term("A", 0.0, -1.0, -2.0, cuts=(1, 3)))
    totals = [card.score({"A": value}).total for value in (0.99, 1, 2.99, 3, 1e9)]
    assert totals == [0, -1, -1, -2, -2]


def test_a_first_effect_counts_too() -> None:
    card = _card(_term("A", -1.0, 0.0))
    assert [card.score({"A": value}).total for value in (-5, 0, 0.5)] == [-1, -1, 0]


def test_of_a_family_only_the_strongest_that_lowers_counts() -> None:
    card = _card(
        _term("A", 0, -1.0, family="f"),
        _term("B", 0, -2.0, family="f"),
        _term("C", 0, 0.5, family="f"),
        _term("D", 0, -0.25),
    )
    scored = card.score(dict.fromkeys("ABCD", 1.0))
    assert scored.effects == [("B", -2.0), ("C", 0.5), ("D", -0.25)]
    assert scored.total == -1.75


def test_the_address_is_scored_by_its_own_terms_and_families() -> None:
    card = _card(
        _term("A", 0, -1.0, family="f", about_address=True),
        _term("B", 0, -2.0, family="f"),
        _term("C", 0, 0.5, about_address=True),
        _term("D", 0, -3.0),
    )
    scored = card.score(dict.fromkeys("ABCD", 1.0))
    assert scored.ip_confidence == pytest.approx(confidence(-0.5))
    assert scored.total == -4.5


def test_small_effects_count_but_are_not_told() -> None:
    scored = _card(_term("A", 0, -0.05), _term("B", 0, 0.0)).score({"A": 1.0, "B": 1.0})
    assert scored.total == -0.05
    assert scored.effects == []
    assert _card(_term("B", 0, 0.0), report_from=0).score({"B": 1.0}).effects == []


def test_nothing_is_ever_certain() -> None:
    card = _card(_term("A", 0, -500.0), _term("B", 0, 500.0))
    assert card.score({"A": 1.0}).confidence == pytest.approx(confidence(-LARGEST_TOTAL))
    assert card.score({"B": 1.0}).confidence == pytest.approx(confidence(LARGEST_TOTAL))
    assert 0 < card.score({"A": 1.0}).confidence < card.score({"B": 1.0}).confidence < 1


# ---- What is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        ([_term("A", 0.0, -1.0, -2.0)], "one more effect than cuts"),
        ([_term("A", 0.0, -1.0, -2.0, cuts=(2, 1))], "cuts must ascend"),
        ([_term("A", 0.0, -1.0, -2.0, cuts=(1, 1))], "cuts must ascend"),
        ([_term("A", 0.0, math.nan)], "must be finite"),
        ([_term("A", 0.0, -1.0, cuts=(math.inf,))], "must be finite"),
        ([_term("A"), _term("A")], "more than one term"),
        ([], "A: has no term"),
        ([_term("A"), _term("B")], "B: is no signal"),
    ],
)
def test_a_sheet_that_is_wrong_is_refused(terms: list[Term], problem: str) -> None:
    with pytest.raises(ScorecardError, match=problem):
        Scorecard(_sheet(*terms), ["A"])


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ScorecardError) as caught:
        Scorecard(_sheet(_term("A", 0.5), _term("A"), _term("C", 0.0)), ["A", "B"])
    assert str(caught.value).count(";") == 4


@pytest.mark.parametrize(
    "text",
    [
        "version = ",
        'version = "1"',
        'version = "1"\nreport_from = 0.1\nterm = []\n[prior]\nconfidence = 1.5\nwhy = "x"',
        'version = "1"\nreport_from = 0.1\nterm = []\nx = 1\n[prior]\nconfidence = 0.5\nwhy = "x"',
    ],
)
def test_a_file_that_is_wrong_is_refused(text: str) -> None:
    with pytest.raises(ScorecardError, match="cannot be read"):
        read_sheet(text)


def test_a_sheet_survives_being_written_and_read() -> None:
    """So that whoever fits one can export it."""
    again = msgspec.json.decode(msgspec.json.encode(SHEET), type=Sheet)
    assert again == SHEET
    assert Scorecard(again, BY_CODE).version == SHEET.version
