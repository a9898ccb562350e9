"""Replays earlier requests: scores them in order, learning only what was known by then.

Requests go through the same stage as a server's. A label becomes known some time after its request,
and moves the reputation of the request's entities; at set times, a new scorecard is fitted on what
is known. So the scores are those that Gatehouse would have given at the time.
"""

import time
from collections.abc import Callable, Coroutine, Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.found.found_inputs import NOTHING_FOUND, FoundInputs, InputKind
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.reputation_store import LabelTarget
from gatehouse.sentry.policy import DEFAULT_POLICY, SentryPolicy
from gatehouse.sentry.records.features import rounded_features
from gatehouse.sentry.scorecard import Scorecard, load_sheet
from gatehouse.sentry.stage import ScoredRequest, SentryStage
from gatehouse.training.replay.input_finder import InputFinder
from gatehouse.training.replay.lines import BadLine, ReplayLine, read_line

if TYPE_CHECKING:
    from gatehouse.training.examples import Examples
    from gatehouse.training.model_fitting import FitOptions, Fitted

DAY_MS: Final = 86_400_000
ACCOUNT: Final = "replay"
"""All requests of a replay are of one merchant."""
_TELL_EVERY: Final = 1000

_LOOKS: Final = {
    InputKind.IDENTIFIER: "looks like an identifier",
    InputKind.CATEGORY: "looks like a category",
}

T = TypeVar("T")
TellScore = Callable[[ReplayLine, ScoredRequest], object]
"""Takes a line, and what Sentry made of its request."""


class ReplayOptions(msgspec.Struct, frozen=True):
    """How a replay learns."""

    label_delay_ms: int
    """How long after its request a label is known."""
    retrain_every_ms: int | None = None
    """Counted from the first request; None if the scorecard stays as it is."""
    fit: "FitOptions | None" = None
    window_ms: int = 120 * DAY_MS
    """How far back training looks."""
    policy: SentryPolicy = DEFAULT_POLICY
    """What the account tells Sentry about its own data."""
    found: FoundInputs = NOTHING_FOUND
    """What was found before in the account's own requests, and what it refused."""
    scorecard: Scorecard | None = None
    """The first scorecard; None is the shipped one."""
    learned_until: str | None = None
    """The last request that the first scorecard learned from, if it learned."""


class Retraining(CamelStruct):
    """One time at which a scorecard was to be fitted."""

    at: str
    version: str | None = None
    method: str | None = None
    frauds: int | None = None
    legitimates: int | None = None
    seconds: float | None = None
    skipped: str | None = None
    """Why there is no new scorecard."""


class FoundOnTheWay(CamelStruct):
    """A custom input that is remembered from a moment on."""

    at: str
    key: str
    kind: InputKind


class Summary(msgspec.Struct, rename="camel"):
    """What a replay went through."""

    requests: int = 0
    frauds: int = 0
    legitimates: int = 0
    unlabelled: int = 0
    labels_learned: int = 0
    """How many labels became known before the last request."""
    first_at: str | None = None
    last_at: str | None = None
    retrainings: list[Retraining] = []
    found: list[FoundOnTheWay] = []
    """Custom inputs that nobody declared and that were found to be worth remembering."""


class ReplayJudge(NamedTuple):
    """Who scores the requests: a stage, and the memory that it asks."""

    stage: SentryStage
    memory: LocalMemory


class Watcher(Protocol):
    """Is told how a replay is getting on."""

    def reached(self, requests: int) -> None:
        """So many requests are done."""

    def say(self, text: str) -> None:
        """Something worth a line of its own."""


def replay(
    lines: Iterable[bytes],
    judge: ReplayJudge,
    tell: TellScore,
    options: ReplayOptions,
    progress: Watcher,
) -> Summary:
    """Score the request of every line, in order, and tell what was found.

    A line that cannot be replayed ends it as `BadLine`.
    """
    stage, memory = judge
    summary = Summary()
    lessons = _Lessons(memory, options, summary, progress.say)
    finder = InputFinder(options.policy, options.found)
    stage = stage.with_watch(finder.watch)
    policies, before_s = finder.policies, 0.0
    for number, data in enumerate(lines, 1):
        if data.isspace():
            continue
        try:
            line = read_line(data)
        except ValueError as error:
            raise BadLine(number, str(error)) from None
        if line.at_s < before_s:
            raise BadLine(number, "at is earlier than that of the line before; sort lines by at")
        before_s = line.at_s
        at_ms = int(line.at_s * 1000)
        if not summary.requests:
            _warn(at_ms, options.learned_until, progress.say)
        scorecard = lessons.go_on_to(at_ms)
        if scorecard is not None:
            stage = stage.with_scorecard(scorecard)
        case = Case("", ACCOUNT, at_ms, ValuesByType(), policies)
        weighed = finished(stage.weigh(case, line.request))
        lessons.add(line, weighed)
        tell(line, weighed)
        for key, kind in finder.look(at_ms):
            summary.found.append(FoundOnTheWay(iso_time(at_ms), key, kind))
            progress.say(f"{iso_time(at_ms)}: {key} {_LOOKS[kind]}: remembered from now on")
            policies = finder.policies
        summary.requests += 1
        summary.last_at = iso_time(at_ms)
        summary.first_at = summary.first_at or summary.last_at
        if summary.requests % _TELL_EVERY == 0:
            progress.reached(summary.requests)
    progress.reached(summary.requests)
    return summary


def _warn(at_ms: int, learned_until: str | None, say: Callable[[str], None]) -> None:
    """Warn if the first scorecard has learned from requests that are still to come."""
    first = iso_time(at_ms)
    if learned_until is not None and learned_until >= first:
        say(
            f"warning: the model learned from requests up to {learned_until}, and the first one "
            f"here is of {first}: its scores are better than they could have been"
        )


class _Pending(NamedTuple):
    known_at_ms: int
    number: int
    """Of labels that become known at one moment, the earlier request comes first."""
    row: int
    """Counted from the first request on, including forgotten ones."""
    target: LabelTarget
    fraud: bool


class _Lessons:
    """Labels that are known so far, labels still to come, and when to retrain."""

    def __init__(
        self,
        memory: LocalMemory,
        options: ReplayOptions,
        summary: Summary,
        say: Callable[[str], None],
    ) -> None:
        self._memory = memory
        self._options = options
        self._summary = summary
        self._say = say
        self._pending: list[_Pending] = []
        """A heap: what is known next comes first."""
        self._examples = None if options.retrain_every_ms is None else _new_examples()
        self._forgotten = 0
        self._due_ms: int | None = None

    def go_on_to(self, now_ms: int) -> Scorecard | None:
        """Learn what is known by now; a new scorecard when it is time for one."""
        pending = self._pending
        while pending and pending[0].known_at_ms <= now_ms:
            self._learn(heappop(pending))
        every_ms = self._options.retrain_every_ms
        if every_ms is None:
            return None
        if self._due_ms is None:
            self._due_ms = now_ms + every_ms
        if now_ms < self._due_ms:
            return None
        # After a long gap, one new scorecard stands for all that were missed.
        self._due_ms += ((now_ms - self._due_ms) // every_ms + 1) * every_ms
        return self._retrain(now_ms)

    def add(self, line: ReplayLine, weighed: ScoredRequest) -> None:
        """Keep a request until its label is known, and its features for training."""
        summary, fraud = self._summary, line.fraud
        if fraud is None:
            # Without a label there is nothing to learn.
            summary.unlabelled += 1
            return
        summary.frauds += fraud
        summary.legitimates += not fraud
        row = -1
        if self._examples is not None:
            values = rounded_features(weighed.values)
            row = self._forgotten + self._examples.add(int(line.at_s * 1000) / 1000, values)
        known_at_ms = line.known_ms(self._options.label_delay_ms)
        target = self._memory.label_target(weighed.event)
        heappush(self._pending, _Pending(known_at_ms, summary.requests, row, target, fraud))

    def _learn(self, label: _Pending) -> None:
        self._summary.labels_learned += 1
        self._memory.apply_label(label.target, fraud=label.fraud)
        row = label.row - self._forgotten
        if self._examples is not None and row >= 0:
            self._examples.set_label(row, label.fraud)

    def _retrain(self, now_ms: int) -> Scorecard | None:
        assert self._examples is not None
        at, retrainings = iso_time(now_ms), self._summary.retrainings
        version = f"replay-{len(retrainings) + 1}"
        began = time.perf_counter()
        # Later scorecards do not use these requests either.
        self._forgotten += self._examples.forget_before((now_ms - self._options.window_ms) / 1000)
        try:
            fitted = _fit(self._examples, version, self._options)
        except InvalidInput as error:
            self._say(f"{at}: not retrained: {error}")
            retrainings.append(Retraining(at, skipped=str(error)))
            return None
        self._say(
            f"{at}: retrained ({fitted.method}) on {fitted.frauds:,} frauds and "
            f"{fitted.legitimates:,} legitimate requests"
        )
        seconds = round(time.perf_counter() - began, 1)
        counts = (fitted.frauds, fitted.legitimates)
        retrainings.append(Retraining(at, version, fitted.method, *counts, seconds))
        return Scorecard(fitted.sheet, BY_CODE.keys())


def _new_examples() -> "Examples":
    from gatehouse.training.examples import Examples

    return Examples(tuple(BY_CODE))


def _fit(examples: "Examples", version: str, options: ReplayOptions) -> "Fitted":
    import numpy as np

    from gatehouse.training.model_fitting import FitOptions, fit

    # A copy: an array cannot grow while NumPy shares its memory.
    rows = np.flatnonzero(np.array(examples.labels) >= 0)
    return fit(examples, rows, load_sheet(), version, options.fit or FitOptions())


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits, as with the memory of this process."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    coroutine.close()
    raise RuntimeError("a replay needs a memory that answers at once")
