"""The watch on a made-up shop: what it would have raised, and when, without a database."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from gatehouse.admin.alerts.types.hours import HOUR_MS, HourCounts, count_hour
from gatehouse.admin.alerts.types.judging import GOES_ON, LONGEST_MS, AlertFinding, AlertKind, judge
from gatehouse.admin.alerts.types.lifecycle import CALM_MS, STILL_MS, WEEKS_MS
from gatehouse.admin.alerts.types.observing import SeenRequest
from gatehouse.admin.alerts.types.usual import UsualTraffic

LOOK_MS: Final = 20_000


class Raised(NamedTuple):
    """An alert of the made-up shop."""

    kind: AlertKind
    at_ms: int
    finding: AlertFinding


class Watcher:
    """Looks every twenty seconds in which something came, as the server's watch does."""

    def __init__(self) -> None:
        self._hours: dict[int, HourCounts] = {}
        self._hour: list[SeenRequest] = []
        self._seen: list[SeenRequest] = []
        self._usual = UsualTraffic({})
        self._looked_ms = 0
        self._open: dict[AlertKind, int] = {}
        """When each was last seen to go on."""
        self._tainted: set[int] = set()
        self.raised: list[Raised] = []

    def learn(self, seen: Iterable[SeenRequest]) -> None:
        """Take some weeks as they are, without a look at them."""
        for each in seen:
            self._turn(each.at_ms)
            self._take(each)

    def watch(self, seen: Iterable[SeenRequest]) -> Iterable[tuple[SeenRequest, list[Raised]]]:
        """Each observation with what was raised before the next one came."""
        for each in seen:
            self._turn(each.at_ms)
            self._take(each)
            before = len(self.raised)
            if each.at_ms - self._looked_ms >= LOOK_MS:
                self._look(each.at_ms)
            yield each, self.raised[before:]

    def _take(self, each: SeenRequest) -> None:
        self._hour.append(each)
        self._seen.append(each)

    def _turn(self, now_ms: int) -> None:
        """Close the hours that have ended."""
        start_ms = self._hour[0].at_ms // HOUR_MS * HOUR_MS if self._hour else None
        if start_ms is None or now_ms < start_ms + HOUR_MS:
            return
        for hour_ms in range(start_ms, now_ms // HOUR_MS * HOUR_MS, HOUR_MS):
            here = [each for each in self._hour if hour_ms <= each.at_ms < hour_ms + HOUR_MS]
            if hour_ms not in self._tainted:
                self._hours[hour_ms] = count_hour(here)
        self._hour = []
        self._seen = [each for each in self._seen if each.at_ms > now_ms - LONGEST_MS]
        kept = {at: each for at, each in self._hours.items() if at >= now_ms - WEEKS_MS}
        self._hours, self._usual = kept, UsualTraffic(kept)

    def _look(self, now_ms: int) -> None:
        self._looked_ms = now_ms
        found = judge(self._seen, self._usual, now_ms)
        if not found and not self._open:
            return
        newest = [each for each in self._seen if each.at_ms > now_ms - STILL_MS]
        still = {each.kind for each in judge(newest, self._usual, now_ms, GOES_ON)}
        self._calm(still, now_ms)
        for finding in found:
            if finding.kind is AlertKind.FEAST and AlertKind.ATTACK in self._open:
                continue
            if finding.kind not in self._open and finding.kind in still:
                self.raised.append(Raised(finding.kind, now_ms, finding))
                self._open[finding.kind] = now_ms
        if AlertKind.ATTACK in self._open or AlertKind.OUTAGE in self._open:
            self._tainted.add(now_ms // HOUR_MS * HOUR_MS)

    def _calm(self, still: set[AlertKind], now_ms: int) -> None:
        for kind, last_ms in list(self._open.items()):
            if kind in still:
                self._open[kind] = now_ms
            elif now_ms - last_ms >= CALM_MS[kind]:
                del self._open[kind]


def first(raised: Sequence[Raised], kind: AlertKind) -> Raised | None:
    """The first alert of a kind."""
    return next((each for each in raised if each.kind is kind), None)
