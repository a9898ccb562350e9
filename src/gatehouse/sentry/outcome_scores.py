"""One score per outcome: how probable it is that a request turns out to be just that.

A score adds up what measurements say about its outcome, beside a share of what the confidence
says. The terms of all outcomes are joined, so that a measurement is looked up once for all.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from gatehouse.sentry.scorecard import LARGEST_TOTAL, OutcomeSheet, OutcomeTerm

DIGITS: Final = 4
_LEAST_TOLD: Final = 0.25
"""A fit finds a little in everything; effects below a quarter are no reasons."""


_JoinedTerm = tuple[float, tuple[float, ...], tuple[tuple[float, ...], ...]]
"""Of one feature: below which value it says nothing, its cuts, and what its values add to each of
the sums. A plain tuple, because Python takes it apart faster than one with names."""


class OutcomeScorer:
    """The outcome sheets of a model, made ready for use."""

    __slots__ = ("_constants", "_names", "_shares", "_terms")

    def __init__(self, sheets: Sequence[OutcomeSheet]) -> None:
        self._names = [str(each.outcome) for each in sheets]
        self._shares = [each.of_confidence for each in sheets]
        self._constants = tuple(each.constant for each in sheets)
        codes = dict.fromkeys(term.code for each in sheets for term in each.terms)
        found = [{term.code: term for term in each.terms} for each in sheets]
        self._terms = {code: _joined([terms.get(code) for terms in found]) for code in codes}

    def score(self, values: Mapping[str, float], total: float) -> dict[str, float]:
        """The score of each outcome; `total` is the log-odds behind the confidence."""
        find = self._terms.get
        rows = [self._constants]
        for code, value in values.items():
            term = find(code)
            if term is not None:
                quiet_below, cuts, effects = term
                if value >= quiet_below:
                    rows.append(effects[bisect_right(cuts, value)])
        sums = map(sum, zip(*rows, strict=True))
        return {
            name: round(_probability(one - share * total), DIGITS)
            for name, share, one in zip(self._names, self._shares, sums, strict=True)
        }


def scorer_of(sheets: Sequence[OutcomeSheet]) -> OutcomeScorer | None:
    """What scores the outcomes of a model; None where it has none."""
    return OutcomeScorer(sheets) if sheets else None


def outcome_reasons(sheet: OutcomeSheet, values: Mapping[str, float]) -> list[tuple[str, float]]:
    """By code, what moved the score of an outcome by itself, strongest first."""
    terms = {term.code: term for term in sheet.terms}
    found = [
        (code, terms[code].effects[bisect_right(terms[code].cuts, value)])
        for code, value in values.items()
        if code in terms
    ]
    told = [(code, effect) for code, effect in found if abs(effect) >= _LEAST_TOLD]
    return sorted(told, key=lambda each: -abs(each[1]))


def _joined(terms: Sequence[OutcomeTerm | None]) -> _JoinedTerm:
    cuts = sorted({cut for term in terms if term is not None for cut in term.cuts})
    # Below the first cut, and then from each cut on.
    places = [-math.inf, *cuts]
    effects = tuple(tuple(_effect(term, place) for term in terms) for place in places)
    quiet_below = -math.inf
    if not any(effects[0]):
        quiet_below = cuts[0] if cuts else math.inf
    return quiet_below, tuple(cuts), effects


def _effect(term: OutcomeTerm | None, value: float) -> float:
    return 0.0 if term is None else term.effects[bisect_right(term.cuts, value)]


def _probability(total: float) -> float:
    return 1 / (1 + math.exp(-max(-LARGEST_TOTAL, min(total, LARGEST_TOTAL))))
