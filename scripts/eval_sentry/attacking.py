"""Puts attacks on the shop before Sentry, and counts who would have been declined.

The stage is the one that replays drive: an empty memory, the shipped scorecard, no labels. Some
weeks of honest orders come first. Three ways to use Sentry are measured: in a pipeline that hears
from the issuer which cards were refused, in one that does not hear it, and Sentry alone, whose
requests have no card. A card that Sentry declines never reaches the issuer, so nothing is heard of
it either.
"""

import multiprocessing
import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.models.use_cases.replays import make_judge
from gatehouse.core.cards.numbers import KeptCard, MaskedCard
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.intel.bins import BinTable, load_bins
from gatehouse.rules.starter import starter_document
from gatehouse.sentry.policy import DEFAULT_POLICY
from gatehouse.sentry.request import SentryRequest
from gatehouse.settings.settings import Settings
from gatehouse.training.replay.replay import ACCOUNT, ReplayJudge, finished
from scripts.eval_sentry.card_testing import ATTACKS, Attack, tries
from scripts.eval_sentry.shop import BEGIN_S, DAY_S, Attempt, Card, Shop

FREE_TRIES: Final = 20
"""So many tries of an attack may pass: before them nothing can be known."""
BEGINS_AT_S: Final = 14 * 3600.0
"""Attacks begin in the afternoon, UTC, when the shop is busy."""
_THRESHOLD: Final = re.compile(
    r"condition: sentry\.requestConfidence < ([0-9.]+)\n\s+outcome: DECLINE\n"
)


class Use(NamedTuple):
    """A way to use Sentry."""

    name: str
    what: str
    has_cards: bool
    hears_refusals: bool


USES: Final = (
    Use("pipeline", "a pipeline that hears which cards were refused", True, True),
    Use("unheard", "a pipeline that does not hear it", True, False),
    Use("alone", "Sentry alone, without a card", False, False),
)


class Scale(NamedTuple):
    """How large the shop is."""

    customers: int
    days: int
    """Honest orders of so many days come before the attack."""


FULL: Final = Scale(4000, 28)
QUICK: Final = Scale(1500, 14)


class Judged(msgspec.Struct):
    """What became of the tries of an attack, and of the honest requests around it."""

    name: str
    what: str
    tries: int = 0
    """Those that count: the first ones of an attack do not."""
    found: int = 0
    """Of these, so many are below the threshold."""
    honest: int = 0
    """From the beginning of the attack until a day later, or until its end."""
    harmed: int = 0
    """Of these, so many are below the threshold."""

    def add(self, other: "Judged") -> None:
        """Count those of another attack, too."""
        self.tries += other.tries
        self.found += other.found
        self.honest += other.honest
        self.harmed += other.harmed


class UseResult(msgspec.Struct, frozen=True):
    """What was found for one way to use Sentry."""

    use: str
    what: str
    before: Judged
    """The honest requests before all attacks."""
    attacks: list[Judged]
    together: Judged


class AttackResult(msgspec.Struct, frozen=True):
    """All about the attacks on one shop."""

    seed: int
    customers: int
    days: int
    threshold: float
    uses: list[UseResult]


def decline_threshold() -> float:
    """The confidence below which the starter rules decline."""
    (found,) = _THRESHOLD.findall(starter_document())
    return float(found)


class Cashier:
    """Sends requests to Sentry and tells its confidence in them."""

    def __init__(self, use: Use, bins: BinTable) -> None:
        self._use = use
        self._bins = bins
        self._judge: ReplayJudge = make_judge(Settings(), None, feeds=False)
        self._policies = ValuesByType.of(DEFAULT_POLICY)
        self.threshold: Final = decline_threshold()

    def judge(self, attempts: Iterable[Attempt]) -> Iterator[tuple[Attempt, float]]:
        """Each request, and the confidence in it."""
        stage, memory = self._judge
        for each in attempts:
            case = Case("", ACCOUNT, int(each.at_s * 1000), ValuesByType(), self._policies)
            if self._use.has_cards:
                case.card = self._masked(each.card)
            request = msgspec.convert(each.request, SentryRequest)
            scored = finished(stage.weigh(case, request))
            is_sent = scored.confidence >= self.threshold
            if each.refused and self._use.hears_refusals and is_sent:
                memory.note_decline(scored.event)
            yield each, scored.confidence

    def _masked(self, card: Card) -> MaskedCard:
        facts = self._bins.facts(card.bin)
        assert facts is not None
        name = f"{card.bin} {card.serial}"
        kept = KeptCard(
            facts.brand, card.bin, None, None, facts.country, facts.funding, facts.prepaid, name
        )
        return MaskedCard(kept, name)


def evaluate(
    seed: int, scale: Scale, attacks: Sequence[Attack] = ATTACKS, uses: Sequence[Use] = USES
) -> AttackResult:
    """Judge every attack for every use."""
    results = list(_evaluate(seed, scale, attacks, uses))
    return AttackResult(seed, scale.customers, scale.days, decline_threshold(), results)


def _evaluate(
    seed: int, scale: Scale, attacks: Sequence[Attack], uses: Sequence[Use]
) -> Iterator[UseResult]:
    """Each attack meets the same shop with the same past."""
    bins = load_bins()
    for use in uses:
        shop, cashier = Shop(seed, scale.customers), Cashier(use, bins)
        past = shop.honest(0, BEGIN_S + scale.days * DAY_S)
        declined = [confidence < cashier.threshold for _, confidence in cashier.judge(past)]
        before = Judged("before", "the days before", honest=len(declined), harmed=sum(declined))
        judged = [_in_a_copy(attack, shop, cashier, scale.days) for attack in attacks]
        together = Judged("together", "all of them")
        for each in judged:
            together.add(each)
        yield UseResult(use.name, use.what, before, judged, together)


def _in_a_copy(attack: Attack, shop: Shop, cashier: Cashier, day: int) -> Judged:
    """Judge an attack in a process of its own, whose memory is a copy and then forgotten."""
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    child = forking.Process(target=lambda: theirs.send(judge_attack(attack, shop, cashier, day)))
    child.start()
    theirs.close()
    try:
        judged: Judged = ours.recv()
    finally:
        child.join()
    return judged


def judge_attack(attack: Attack, shop: Shop, cashier: Cashier, day: int) -> Judged:
    """What becomes of an attack that begins on a day, and of honest customers meanwhile."""
    shop.dice.seed(f"{shop.seed} {attack.name}")
    begin_s = BEGIN_S + day * DAY_S + BEGINS_AT_S
    hostile = tries(attack, shop, begin_s)
    end_s = max([begin_s + DAY_S, *(each.at_s for each in hostile)])
    honest = shop.honest(day, end_s, sale=attack.sale, offered=attack.offered)
    judged, came = Judged(attack.name, attack.what), 0
    for each, confidence in cashier.judge(merge(honest, hostile, key=attrgetter("at_s"))):
        declined = confidence < cashier.threshold
        if each.is_attack:
            came += 1
            judged.tries += came > FREE_TRIES
            judged.found += came > FREE_TRIES and declined
        elif each.at_s >= begin_s:
            judged.honest += 1
            judged.harmed += declined
    return judged
