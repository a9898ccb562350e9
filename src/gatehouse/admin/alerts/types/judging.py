"""Tells whether the last minutes and hours depart from an account's normal, and as what.

An attack adds orders that go badly: more cards that nobody knows are refused, declined or held for
review than the usual share of as many orders, or one address, network or device brings more
different cards than it ever did. A feast brings more of everything in the usual mix, so it changes
no share. An outage of a party fails orders of the usual customers in the usual number. So refusals
alone are told as an outage, unless there are more orders than usual or more new cards among them.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from gatehouse.admin.alerts.types.hours import BAD, Measure, measures_of
from gatehouse.admin.alerts.types.observing import SeenRequest, ValueKind
from gatehouse.admin.alerts.types.usual import UsualTraffic

_MINUTE_MS: Final = 60_000
WINDOWS_MS: Final = (10 * _MINUTE_MS, 60 * _MINUTE_MS, 180 * _MINUTE_MS)
"""Fast attacks show themselves in the shortest, slow ones only in the longest."""
LONGEST_MS: Final = WINDOWS_MS[-1]
_LEAST_SEEN: Final = 10
_FEAST_WINDOW_MS: Final = WINDOWS_MS[1]
FEAST_TIMES: Final = 2.0
"""Twice as many requests as usual are a feast."""
_LEAST_FEAST: Final = 40
_SURE_OF_FEAST: Final = 8.0
_SURE_OF_MORE: Final = 4.0
"""Standard errors: enough beside something that is unlikely by itself."""
_BY_THEMSELVES: Final = (ValueKind.ADDRESS, ValueKind.DEVICE, ValueKind.NETWORK)
"""Many cards behind one of these are an attack; an issuer or a mail service has many customers."""
_BESIDE_BAD: Final = (ValueKind.BIN, ValueKind.DOMAIN)


class AlertKind(StrEnum):
    """What a departure from the normal is."""

    ATTACK = "attack"
    FEAST = "feast"
    OUTAGE = "outage"


class Strictness(NamedTuple):
    """From when on something departs."""

    excess: float
    """So many more than usual."""
    sure: float
    """So many standard errors: with three windows and three looks a minute, three are chance."""
    lift: float
    """So many times as many as usual."""


RAISES: Final = Strictness(12, 6.0, 3.0)
NEIGHBOURS_RAISE: Final = Strictness(8, 6.0, 6.0)
"""For those that Sentry is unsure of and that share addresses: an address that is busy with honest
customers lowers its confidence by itself, so they must share far more often than others.
"""
GOES_ON: Final = Strictness(5, 3.0, 2.0)
"""What was raised goes on while this holds, or it would end and begin again."""


class Departed(NamedTuple):
    """A count that is not as usual."""

    measure: Measure
    found: int
    usual: float
    """How many there would be."""
    requests: int


class AlertFinding(NamedTuple):
    """What was found in one window."""

    kind: AlertKind
    window_ms: int
    departures: list[Departed]
    concentrated: list[tuple[ValueKind, str]]
    """Values that bring more different cards than they ever did."""
    seen: list[SeenRequest]
    """The requests that it is about, oldest first."""


def judge(
    seen: Sequence[SeenRequest],
    usual: UsualTraffic,
    now_ms: int,
    strict: Strictness = RAISES,
    requests: Sequence[int] | None = None,
) -> list[AlertFinding]:
    """What departs from the normal in observations of the last hours, one finding of a kind.

    They are in the order in which they came. `requests` are those of each window, if not all of
    them were observed.
    """
    if not usual.is_known:
        return []
    found: dict[AlertKind, AlertFinding] = {}
    for number, window_ms in enumerate(WINDOWS_MS):
        here = list(seen[bisect_right(seen, now_ms - window_ms, key=lambda each: each.at_ms) :])
        came = len(here) if requests is None else max(requests[number], len(here))
        window = _Window(here, came, usual, now_ms, window_ms, strict)
        for each in window.findings():
            found.setdefault(each.kind, each)
    if AlertKind.ATTACK in found:
        # What an attack adds is no feast, and what is refused of it no outage.
        found.pop(AlertKind.FEAST, None)
        outage = found.get(AlertKind.OUTAGE)
        if outage is not None and outage.departures[0].measure is Measure.REFUSED:
            del found[AlertKind.OUTAGE]
    return list(found.values())


class _Window:
    """One look at one window."""

    def __init__(
        self,
        seen: list[SeenRequest],
        requests: int,
        usual: UsualTraffic,
        now_ms: int,
        window_ms: int,
        strict: Strictness,
    ) -> None:
        self._seen, self._requests, self._usual = seen, requests, usual
        self._now_ms, self._window_ms, self._strict = now_ms, window_ms, strict
        self._answered = [each for each in seen if not each.failed]

    def findings(self) -> Iterator[AlertFinding]:
        if len(self._seen) >= _LEAST_SEEN:
            yield from self._outages()
            yield from self._attacks()
            yield from self._refusals()
        yield from self._feasts()

    def _outages(self) -> Iterator[AlertFinding]:
        """Whether a party fails more often than usual."""
        failed = [each for each in self._seen if each.failed]
        departure = self._departure(Measure.FAILED, failed, len(self._seen))
        if departure is not None:
            yield AlertFinding(AlertKind.OUTAGE, self._window_ms, [departure], [], failed)

    def _attacks(self) -> Iterator[AlertFinding]:
        bad = self._fresh()
        departures = [
            each
            for measure in BAD
            if (each := self._departure(measure, bad[measure], len(self._answered), fresh=True))
        ]
        about = [each for one in departures for each in bad[one.measure]]
        sharing = None if departures else self._unsure_neighbours()
        if sharing is not None:
            departures, about = [sharing[0]], sharing[1]
        crowded = list(self._crowded(_BY_THEMSELVES, self._answered))
        if not crowded and (about or self._is_more):
            # Which of them are over-represented among those that went badly, or are small.
            chosen = about or [each for each in self._answered if self._usual.is_small(each)]
            fresh = [each for each in chosen if each.is_new is not False]
            crowded = [] if departures else list(self._crowded(_BESIDE_BAD, fresh))
        if not departures and not crowded:
            return
        if not crowded and sharing is None and not self._is_more and not self._is_newer:
            return
        values, known = set(crowded), {each.request_id for each in about}
        whole = [
            each
            for each in self._answered
            if each.request_id in known or not values.isdisjoint(each.values)
        ]
        yield AlertFinding(
            AlertKind.ATTACK, self._window_ms, departures + self._told(whole), crowded, whole
        )

    def _refusals(self) -> Iterator[AlertFinding]:
        """Whether the usual customers are refused, in the usual number; not within minutes."""
        if self._window_ms == WINDOWS_MS[0] or self._is_more or self._is_newer:
            return
        refused = [each for each in self._answered if each.refused]
        departure = self._departure(Measure.REFUSED, refused, len(self._answered))
        if departure is not None:
            yield AlertFinding(AlertKind.OUTAGE, self._window_ms, [departure], [], refused)

    def _told(self, about: Sequence[SeenRequest]) -> list[Departed]:
        """What else an attack has more of, which proves nothing by itself."""
        count = len(about)
        if not count:
            return []
        small = sum(self._usual.is_small(each) for each in about)
        new = sum(bool(each.is_new) for each in about)
        shares = (
            (Measure.SMALL, small, self._usual.small_share()),
            (Measure.NEW_CARDS, new, self._usual.share(Measure.NEW_CARDS, self._now_ms)),
        )
        return [
            Departed(measure, found, share * count, count)
            for measure, found, share in shares
            if found > self._strict.lift / 2 * share * count and found >= self._strict.excess
        ]

    def _feasts(self) -> Iterator[AlertFinding]:
        if self._window_ms != _FEAST_WINDOW_MS or self._requests < _LEAST_FEAST:
            return
        expected = self._expected
        times = FEAST_TIMES if self._strict is RAISES else (1 + FEAST_TIMES) / 2
        sure = self._sure(self._requests, expected, self._usual.variation)
        if self._requests >= times * expected and sure >= _SURE_OF_FEAST / 2:
            departure = Departed(Measure.REQUESTS, self._requests, expected, self._requests)
            yield AlertFinding(AlertKind.FEAST, self._window_ms, [departure], [], self._seen)

    def _fresh(self) -> dict[Measure, list[SeenRequest]]:
        """Those that went badly and whose card nobody knows, each card once."""
        found: dict[Measure, dict[str, SeenRequest]] = {measure: {} for measure in BAD}
        for each in self._answered:
            if each.is_new is not False:
                for measure in measures_of(each):
                    if measure in found:
                        found[measure][each.who or each.request_id] = each
        return {measure: list(some.values()) for measure, some in found.items()}

    def _unsure_neighbours(self) -> tuple[Departed, list[SeenRequest]] | None:
        """Whether those that Sentry is unsure of share addresses far more often than usual.

        Without cards and refusals, an attack from many addresses looks like an offer for next to
        nothing, of which Sentry is unsure, too. But who comes for an offer shares an address no
        more often than the account's customers always did. Those of the same minutes tell nothing
        of that: Sentry was still sure of the first orders of an attack.
        """
        people: dict[str, set[str]] = defaultdict(set)
        found, usual, others = 0, 0.0, len(self._answered) - 1
        for each in self._answered:
            who = each.who or each.request_id
            for kind, value in each.values:
                if kind is ValueKind.ADDRESS:
                    found += each.unsure and bool(people[value] - {who})
                    usual += self._usual.shared(value, others) if each.unsure else 0.0
                    people[value].add(who)
        strict = NEIGHBOURS_RAISE if self._strict is RAISES else self._strict
        if not self._departs(found, usual, 1.0, strict):
            return None
        unsure = [each for each in self._answered if each.unsure]
        return Departed(Measure.DOUBTED, found, usual, len(self._answered)), unsure

    def _departure(
        self, measure: Measure, found: Sequence[SeenRequest], of: int, *, fresh: bool = False
    ) -> Departed | None:
        """Whether there are more than the usual share of as many requests."""
        share = self._usual.share(measure, self._now_ms, fresh=fresh)
        usual = share * of
        varies = self._usual.spread(measure, fresh=fresh) * (1 - share)
        if not self._departs(len(found), usual, varies):
            return None
        return Departed(measure, len(found), usual, of)

    def _departs(
        self, count: float, usual: float, varies: float, strict: Strictness | None = None
    ) -> bool:
        strict = strict or self._strict
        return (
            count - usual >= strict.excess
            and count >= strict.lift * usual
            and self._sure(count, usual, varies) >= strict.sure
        )

    @staticmethod
    def _sure(count: float, usual: float, varies: float) -> float:
        return (count - usual) / math.sqrt(max(usual, 1.0) * max(varies, 0.1))

    def _crowded(
        self, kinds: tuple[ValueKind, ...], among: Sequence[SeenRequest]
    ) -> Iterator[tuple[ValueKind, str]]:
        """Values with more different cards or users than usual among as many requests."""
        people: dict[tuple[ValueKind, str], set[str]] = defaultdict(set)
        for each in among:
            for value in each.values:
                if value[0] in kinds:
                    people[value].add(each.who or each.request_id)
        for value, different in people.items():
            if len(different) >= self._strict.excess:
                usual = self._usual.value_share(*value) * len(among)
                if self._departs(len(different), usual, self._usual.variation):
                    yield value

    @property
    def _expected(self) -> float:
        return self._usual.requests(self._now_ms - self._window_ms, self._now_ms)

    @property
    def _is_more(self) -> bool:
        """Whether more different customers than usual have come."""
        different = len({each.who or each.request_id for each in self._answered})
        came = different * self._requests / max(len(self._seen), 1)
        return self._sure(came, self._expected, self._usual.variation) >= _SURE_OF_MORE

    @property
    def _is_newer(self) -> bool:
        """Whether more of the cards than usual are new."""
        known = [each for each in self._answered if each.is_new is not None]
        share = self._usual.share(Measure.NEW_CARDS, self._now_ms)
        new, usual = sum(bool(each.is_new) for each in known), share * len(known)
        varies = self._usual.spread(Measure.NEW_CARDS) * (1 - share)
        return self._sure(new, usual, varies) >= _SURE_OF_MORE


def newest_ids(seen: Iterable[SeenRequest], most: int) -> list[str]:
    """The newest of some requests, newest first."""
    return sorted((each.request_id for each in seen), reverse=True)[:most]
