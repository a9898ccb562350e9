"""What Sentry's stage alone costs, in this process: no HTTP, no billing, no record written.

A memory is warm with visits of a month. Then the stage judges further visits, once with the shipped
scorecard, once with a label for every earlier visit and a scorecard like those that training makes,
and once more with a score for each of four outcomes in it.
"""

import asyncio
import json
import random
import statistics
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import load_networks
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.policy import DEFAULT_POLICY
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.request_view import view_request
from gatehouse.sentry.scorecard import (
    OutcomeSheet,
    OutcomeTerm,
    Scorecard,
    Sheet,
    Term,
    load_scorecard,
    load_sheet,
)
from gatehouse.sentry.stage import SentryStage
from scripts.bench.visits import sentry_visit

_EARLIER: Final = 20_000
_PEOPLE: Final = 6_700
"""As many visits for each as in the measurement over HTTP."""
_START_MS: Final = 1_794_000_000_000
_MONTH_MS: Final = 30 * 86_400_000
_BETWEEN_MS: Final = 4
_ONE_IN: Final = 100
_AT_ONCE: Final = 500
_ROUNDS: Final = 20
_BINS: Final = 12
_SEEN: Final = 2000
_LEARNED: Final = "Learned."


class StageCost(NamedTuple):
    """Processor time of a request in microseconds, the median of all rounds."""

    shipped_us: float
    learned_us: float
    outcomes_us: float


def measure() -> StageCost:
    """Judge visits in rounds that alternate, so that all kinds see the same machine."""
    shipped, learned = _warm(labels=False), _warm(labels=True)
    scorecard = _learned_scorecard(learned)
    learned = learned.with_scorecard(scorecard)
    stages = (shipped, learned, learned.with_scorecard(_with_outcomes(scorecard)))
    numbers = iter(range(2 * _EARLIER, 1_000_000))
    rounds: tuple[list[float], ...] = ([], [], [])
    for turn in range(_ROUNDS + 1):
        for stage, times in zip(stages, rounds, strict=True):
            spent = _judge(stage, numbers)
            if turn:
                times.append(spent)
    return StageCost(*[statistics.median(times) for times in rounds])


def _judge(stage: SentryStage, numbers: Iterator[int]) -> float:
    cases = [_case(next(numbers)) for _ in range(_AT_ONCE)]

    async def judge_all() -> float:
        started = time.process_time()
        for case in cases:
            await stage.run(case)
        return time.process_time() - started

    return asyncio.run(judge_all()) / _AT_ONCE * 1_000_000


def _case(number: int) -> Case:
    at_ms = _START_MS + _MONTH_MS + (number - _EARLIER) * _BETWEEN_MS
    return Case("req", "acct_1", at_ms, ValuesByType.of(_visit(number)))


def _visit(number: int) -> SentryRequest:
    # Decoded as the server does, so that no text is one that was seen before.
    return _decode(json.dumps(sentry_visit(number, f"{number:08d}", _PEOPLE)))


_decode: Final = msgspec.json.Decoder(SentryRequest).decode


def _warm(*, labels: bool) -> SentryStage:
    """A stage whose memory has seen a month."""
    book = Feeds(load_networks(), None, lambda: 0)
    hasher, memory = EntityHasher(b"k" * 32), LocalMemory(1_000_000)
    for number in range(_EARLIER):
        at_s = (_START_MS + number * _MONTH_MS // _EARLIER) / 1000
        view = view_request(_visit(number), at_s, book, None)
        event = event_of("acct_1", view, DEFAULT_POLICY, hasher)
        memory.note(event)
        if labels:
            user = str(view.account.user_id).encode()
            memory.note_label(event, fraud=zlib.crc32(user) % _ONE_IN == 0)
    return SentryStage(book, memory, load_scorecard(), hasher, time_limit_ms=1000)


def _learned_scorecard(stage: SentryStage) -> Scorecard:
    """A scorecard of the form that training gives it: bins of about equal size, some effects."""
    seen = asyncio.run(_measured(stage))
    chance = random.Random(5)  # not for secrets
    shipped = load_sheet()
    terms = tuple(_learned(term, sorted(seen[term.code]), chance) for term in shipped.terms)
    codes = [term.code for term in terms]
    return Scorecard(Sheet("learned-1", shipped.prior, 0.25, terms), codes)


def _with_outcomes(scorecard: Scorecard) -> Scorecard:
    """The same with scores of four outcomes, which use the same signals."""
    chance, sheet = random.Random(6), scorecard.sheet  # not for secrets
    outcomes = tuple(
        OutcomeSheet(outcome, -4.0, 0.2, tuple(_outcome_terms(sheet.terms, chance)))
        for outcome in ScoredOutcome
    )
    codes = [term.code for term in sheet.terms]
    return Scorecard(msgspec.structs.replace(sheet, outcomes=outcomes), codes)


def _outcome_terms(terms: Sequence[Term], chance: random.Random) -> Iterator[OutcomeTerm]:
    for term in terms:
        if term.why == _LEARNED:
            # A fit chooses its cuts by the examples that it has, and joins some of them.
            cuts = [cut for cut in term.cuts if chance.random() < 0.7]
            effects = tuple(round(chance.gauss(0, 0.2), 3) for _ in range(len(cuts) + 1))
            yield OutcomeTerm(term.code, tuple(cuts), effects)


async def _measured(stage: SentryStage) -> dict[str, list[float]]:
    """The values of each feature in some visits."""
    seen: dict[str, list[float]] = defaultdict(list)
    for number in range(_EARLIER, _EARLIER + _SEEN):
        case = _case(number)
        found = await stage.weigh(case, case.input(SentryRequest))
        for code, value in found.values.items():
            seen[code].append(value)
    return seen


def _learned(term: Term, values: list[float], chance: random.Random) -> Term:
    if len(values) < _BINS or values[0] == values[-1]:
        return term
    cuts = sorted({values[len(values) * place // _BINS] for place in range(1, _BINS)})
    effects = tuple(round(chance.gauss(0, 0.2), 3) for _ in range(len(cuts) + 1))
    return Term(term.code, tuple(cuts), effects, _LEARNED, None, term.about_address)
