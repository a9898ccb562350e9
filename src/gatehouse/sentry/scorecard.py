"""The scorecard: what each feature is worth, in log-odds, and how they add up to a confidence.

Every term stands alone and the effects are added, so a reason is exactly what it says: without it
the sum would be less by its effect. Features of the same thing form a family, of which only the
strongest that lowers the score counts. A feature that was not measured is worth nothing.
"""

import math
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from itertools import pairwise
from operator import itemgetter
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.score_mapping import ScoreMapping

FILE: Final = "scorecard.toml"
EARLIER: Final = ("scorecard_prior_3.toml",)
"""What shipped before, newest first: of each version the terms that the next one changed."""
LARGEST_TOTAL: Final = 8.0
"""The largest sum that counts: nothing is as certain as a larger one would say."""

_LARGEST: Final = 1e6
"""Effects are added, and sums of larger ones would be no numbers any more."""
_FARTHEST: Final = 60.0
"""In log-odds; farther off is nothing that was learned."""


class ScorecardError(Exception):
    """A scorecard that cannot be used, with everything that is wrong with it."""


class Prior(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The confidence in a request of which nothing is known."""

    confidence: Annotated[float, Meta(gt=0, lt=1)]
    why: Annotated[str, Meta(min_length=1)]


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the values of one feature are worth."""

    code: Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*\Z")]
    cuts: tuple[float, ...]
    """Ascending: a measurement at a cut or above belongs to the effect after it."""
    effects: tuple[float, ...]
    """What is added to the log-odds that the request is legitimate; one more than cuts."""
    why: Annotated[str, Meta(min_length=1)]
    family: Annotated[str, Meta(pattern=r"^[a-z_]+\Z")] | None = None
    about_address: bool = False
    """Whether it belongs to what is known of the address alone."""

    def problems(self) -> list[str]:
        """What is wrong with the term by itself."""
        return _problems(self.code, self.cuts, self.effects)


class OutcomeTerm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the values of one feature say about one outcome."""

    code: Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*\Z")]
    cuts: tuple[float, ...]
    effects: tuple[float, ...]
    """What is added to the log-odds of the outcome; one more than cuts."""


class OutcomeSheet(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"terms": "term"}
):
    """What adds up to the score of one outcome."""

    outcome: ScoredOutcome
    constant: Annotated[float, Meta(ge=-_FARTHEST, le=_FARTHEST)]
    """Log-odds of the outcome before anything else is added."""
    of_confidence: Annotated[float, Meta(ge=0, le=1)]
    """How much of what the confidence says against a request, in log-odds, is added: with few
    examples of the outcome, fraud in general is worth more than what they have in common."""
    terms: tuple[OutcomeTerm, ...]

    def problems(self) -> list[str]:
        """What is wrong with it."""
        found = [
            problem
            for term in self.terms
            for problem in _problems(term.code, term.cuts, term.effects)
        ]
        seen = Counter(term.code for term in self.terms)
        found += [f"{code}: has more than one term" for code, times in seen.items() if times > 1]
        return [f"{self.outcome}: {problem}" for problem in found]


class Sheet(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    # Earlier versions can read what has nothing that they do not know.
    omit_defaults=True,
    rename={"terms": "term"},
):
    """A scorecard as data, written by hand or by training."""

    version: Annotated[str, Meta(min_length=1)]
    prior: Prior
    report_from: Annotated[float, Meta(ge=0)]
    """The smallest effect that is given as a reason."""
    terms: tuple[Term, ...]
    mapping: ScoreMapping | None = None
    """How its scores are told, so that thresholds keep the meaning they had; None as they are."""
    outcomes: tuple[OutcomeSheet, ...] = ()
    """Of each outcome that has a score of its own beside the confidence."""

    def problems(self, codes: Collection[str]) -> list[str]:
        """What is wrong with the sheet for these features."""
        found = [problem for term in self.terms for problem in term.problems()]
        found += [] if self.mapping is None else self.mapping.problems()
        found += [problem for each in self.outcomes for problem in each.problems()]
        if len({each.outcome for each in self.outcomes}) < len(self.outcomes):
            found.append("an outcome has more than one sheet")
        seen = Counter(term.code for term in self.terms)
        for code, times in seen.items():
            found += [f"{code}: has more than one term"] * (times - 1)
        found += [f"{code}: has no term" for code in codes if code not in seen]
        found += [f"{code}: is no signal" for code in sorted(seen.keys() - set(codes))]
        return found


class Scored(NamedTuple):
    """What a request's measurements come to."""

    confidence: float
    """That the request is legitimate."""
    ip_confidence: float
    """The same from what is known of the address alone."""
    effects: list[tuple[str, float]]
    """By code, what counted and is large enough for a reason, strongest first."""
    total: float
    """The log-odds behind the confidence."""


class Scorecard:
    """A sheet, made ready for use."""

    __slots__ = ("_bins", "_prior", "_terms", "sheet", "version")

    def __init__(self, sheet: Sheet, codes: Collection[str]) -> None:
        problems = sheet.problems(codes)
        if problems:
            raise ScorecardError("; ".join(problems))
        self.sheet = sheet
        self.version = sheet.version
        self._prior = logit(sheet.prior.confidence)
        self._terms = {each.code: (each.cuts, each.effects) for each in sheet.terms}
        # Many features are measured for models that learn, and worth nothing here.
        self._bins = {
            each.code: (
                _quiet_below(each),
                each.cuts,
                bins := tuple(
                    (effect, _more(each, effect, sheet.report_from)) for effect in each.effects
                ),
                bins[bisect_right(each.cuts, 1.0)],
            )
            for each in sheet.terms
            if any(each.effects)
        }

    def score(self, values: Mapping[str, float]) -> Scored:
        """Add up what the measurements are worth."""
        least = self.sheet.report_from
        total = about_address = self._prior
        told: list[_Told] = []
        strongest: dict[str, tuple[str, float]] = {}
        strongest_of_address: dict[str, float] = {}
        known = self._bins.get
        for code, value in values.items():
            term = known(code)
            if term is None:
                continue
            quiet_below, cuts, bins, of_one = term
            if value < quiet_below:
                continue
            # Half of all values are 1, and their place need not be looked for.
            effect, more = of_one if value == 1.0 else bins[bisect_right(cuts, value)]
            if more is None:
                total += effect
                continue
            family, reason, of_address = more
            if family is None:
                if reason is not None:
                    told.append(reason)
                total += effect
                if of_address:
                    about_address += effect
                continue
            if family not in strongest or effect < strongest[family][1]:
                strongest[family] = (code, effect)
            if of_address and effect < strongest_of_address.get(family, 0.0):
                strongest_of_address[family] = effect
        for code, effect in strongest.values():
            if -effect >= least:
                told.append((-effect, code, effect))
            total += effect
        about_address += sum(strongest_of_address.values())
        told.sort(key=_strength, reverse=True)
        reasons = [(code, effect) for _, code, effect in told if effect]
        return Scored(confidence(total), confidence(about_address), reasons, total)

    def effect(self, code: str, value: float) -> float:
        """What a measurement is worth by itself."""
        cuts, effects = self._terms[code]
        return effects[bisect_right(cuts, value)]


_strength: Final = itemgetter(0)
_Told = tuple[float, str, float]
"""How strong a reason is, its code and its effect."""


def _more(term: Term, effect: float, least: float) -> tuple[str | None, _Told | None, bool] | None:
    """The family that an effect is compared in, the reason it is told as, and whether it is about
    the address; None for one that is only added.

    What raises the score counts by itself, whatever else its family says.
    """
    reason = (abs(effect), term.code, effect) if abs(effect) >= least else None
    more = (None if effect > 0 else term.family, reason, term.about_address)
    return more if any(more) else None


def _quiet_below(term: Term) -> float:
    """The value below which a feature is worth nothing, as most values are."""
    if term.effects[0]:
        return -math.inf
    return term.cuts[0] if term.cuts else math.inf


def _problems(code: str, cuts: tuple[float, ...], effects: tuple[float, ...]) -> list[str]:
    """What is wrong with the steps of a term."""
    found = []
    if len(effects) != len(cuts) + 1:
        found.append(f"{code}: there must be one more effect than cuts")
    if not all(map(math.isfinite, cuts)) or not all(abs(each) <= _LARGEST for each in effects):
        found.append(f"{code}: cuts must be finite, and effects at most {_LARGEST:g}")
    if any(a >= b for a, b in pairwise(cuts)):
        found.append(f"{code}: cuts must ascend")
    return found


def logit(probability: float) -> float:
    """The log-odds of a probability."""
    return math.log(probability / (1 - probability))


def confidence(total: float) -> float:
    """The probability that log-odds stand for."""
    if not -LARGEST_TOTAL < total < LARGEST_TOTAL:
        total = max(-LARGEST_TOTAL, min(total, LARGEST_TOTAL))
    return 1 / (1 + math.exp(-total))


def read_sheet(text: str) -> Sheet:
    """A sheet from TOML."""
    try:
        return msgspec.convert(tomllib.loads(text), Sheet)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ScorecardError(f"the scorecard cannot be read: {error}") from error


def encode_sheet(sheet: Sheet) -> str:
    """A sheet as it is kept."""
    return msgspec.json.encode(sheet).decode()


def decode_sheet(text: str) -> Sheet:
    """A sheet that was kept."""
    try:
        return msgspec.json.decode(text, type=Sheet)
    except msgspec.MsgspecError as error:
        raise ScorecardError(f"the scorecard cannot be read: {error}") from error


@cache
def load_sheet() -> Sheet:
    """The sheet that ships with the package."""
    return _read_file(FILE)


def _read_file(name: str) -> Sheet:
    return read_sheet(resources.files("gatehouse.sentry").joinpath(name).read_text("utf-8"))


@cache
def load_scorecard() -> Scorecard:
    """The scorecard that ships with the package, for all features of the catalogue."""
    return Scorecard(load_sheet(), BY_CODE.keys())


@cache
def earlier_scorecards() -> dict[str, Scorecard]:
    """The scorecards that shipped before, by version, for the decisions that they were made for.

    What was not measured then has a term in them that never counts.
    """
    found, terms = {}, {term.code: term for term in load_sheet().terms}
    for name in EARLIER:
        sheet = _read_file(name)
        terms |= {term.code: term for term in sheet.terms}
        whole = msgspec.structs.replace(sheet, terms=tuple(terms.values()))
        found[whole.version] = Scorecard(whole, terms)
    return found
