"""The past of one entity, small enough to keep a million of them, quick enough for every request.

A history is a row of (latest moment, events, sum) with the newest last. Recent events stand there
second by second; when the row grows long, neighbours of the same stretch of time are joined, with
stretches of at most a sixth of the window they fall into. So the counts of quiet entities are
exact, and a window over a busy one reaches back at most a sixth further than it says.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.sentry.memory import WINDOW_S, Kind, Window

LONGEST_HISTORY: Final = 64
MOST_PAIRS: Final = 24
"""So many different partners of one kind are always remembered; who has more has many."""
MOST_AMOUNTS: Final = 20

KIND_BITS: Final = 31
_TIME_BITS: Final = 34
_TIMES: Final = (1 << _TIME_BITS) - 1
_ONCE: Final = 1 << _TIME_BITS
_STRETCH_S: Final = ((60, 10), (3600, 600), (86_400, 10_800), (604_800, 86_400))
_LAST_STRETCH_S: Final = 259_200
_DAY_S: Final = 86_400


class Trace(msgspec.Struct, gc=False):
    """What is remembered of an entity."""

    first_s: float
    last_s: float
    currency: str | None
    """Of the sums: amounts in another currency are events, but add nothing."""
    events: int = 0
    spared: int = 0
    """How many events it had when it was last to be forgotten, and was not."""
    previous_s: float | None = None
    history: "array[float] | None" = None
    links: dict[int, int] | None = None
    """By key of the other entity: how often, and when last, in one number."""

    def add(self, at_s: float, amount: float) -> None:
        """Note an event in the history; most come in the order of time."""
        history = self.history
        if history is None:
            self.history = array("d", (at_s, 1.0, amount))
            return
        last_s = history[-3]
        if at_s >= last_s:
            if int(at_s) == int(last_s):
                history[-3] = at_s
                history[-2] += 1.0
                history[-1] += amount
                return
            history.extend((at_s, 1.0, amount))
        else:
            place = len(history) - 3
            while place > 0 and history[place - 3] > at_s:
                place -= 3
            history[place:place] = array("d", (at_s, 1.0, amount))
        if len(history) > LONGEST_HISTORY * 3:
            self.history = _joined(history)

    def take_back(self, at_s: float, amount: float) -> None:
        """Remove an event from the history."""
        history = self.history
        if history is None:
            return
        for place in range(len(history) - 3, -1, -3):
            # A stretch that was joined bears its latest moment, so the event's own is not after it.
            if history[place] >= at_s and (place == 0 or history[place - 3] < at_s):
                history[place + 1] -= 1.0
                history[place + 2] -= amount
                if history[place + 1] <= 0:
                    del history[place : place + 3]
                break
        if not history:
            self.history = None

    def count(self, since_s: float, until_s: float) -> float:
        """How many events there were after a moment and not after another."""
        return self._sum(since_s, until_s, 1)

    def total(self, since_s: float, until_s: float) -> float:
        """What the amounts of the same events come to."""
        return self._sum(since_s, until_s, 2)

    def active_days(self, now_s: float) -> int:
        """On how many different days of the last month it was seen; of a busy one, at least."""
        if self.history is None:
            return 0
        since_s = now_s - WINDOW_S[Window.MONTH]
        days = {int(at_s // _DAY_S) for at_s in self.history[::3] if since_s < at_s <= now_s}
        return len(days)

    def _sum(self, since_s: float, until_s: float, column: int) -> float:
        history = self.history
        if history is None or history[-3] <= since_s:
            return 0.0
        if history[0] > since_s and history[-3] <= until_s:
            return sum(history[column::3])
        moments = history[::3]
        start = bisect_right(moments, since_s)
        # An event that comes late is judged by what was before it, not by what came since.
        end = bisect_right(moments, until_s, start)
        return sum(history[3 * start + column : 3 * end : 3])

    def meet_first(self, keys: Iterable[int], at_s: int) -> None:
        """Note with whom it was seen when it was seen first."""
        once = _ONCE | at_s
        self.links = dict.fromkeys(keys, once)

    def meet(self, key: int, at_s: int) -> None:
        """Note that it was seen together with another entity."""
        links = self.links
        if links is None:
            self.links = {key: _ONCE | at_s}
            return
        known = links.get(key)
        if known is not None:
            seen_s = known & _TIMES
            # Adding to the upper bits and replacing the lower ones keeps both in one number.
            links[key] = known + _ONCE + (at_s - seen_s if at_s > seen_s else 0)
            return
        links[key] = _ONCE | at_s
        if len(links) >= 2 * MOST_PAIRS and len(links) % MOST_PAIRS == 0:
            self.links = _trimmed(links)

    def part(self, key: int) -> None:
        """Take one meeting back."""
        links = self.links
        if links is None or key not in links:
            return
        links[key] -= _ONCE
        if links[key] < _ONCE:
            del links[key]

    def times_with(self, key: int) -> int:
        """How often it was seen together with another entity."""
        return 0 if self.links is None else self.links.get(key, 0) >> _TIME_BITS

    def partners(self, kind: Kind) -> list[int]:
        """When each of the entities of a kind that it was seen with was last there."""
        if self.links is None:
            return []
        return [known & _TIMES for key, known in self.links.items() if key & KIND_BITS == kind]


class Habits(Trace, gc=False):
    """What is remembered of somebody who pays: also amounts and whereabouts."""

    amounts: "array[float] | None" = None
    """Natural logarithms of the last amounts, all in one currency."""
    country: str | None = None
    country_s: float = 0.0
    previous_country: tuple[str, float] | None = None

    def pay(self, logarithm: float) -> None:
        """Note an amount in the currency of this entity."""
        if self.amounts is None:
            self.amounts = array("d", (logarithm,))
            return
        self.amounts.append(logarithm)
        if len(self.amounts) > MOST_AMOUNTS:
            del self.amounts[0]

    def arrive(self, country: str, at_s: float) -> None:
        """Note where it was seen."""
        if self.country is not None:
            self.previous_country = (self.country, self.country_s)
        if at_s >= self.country_s:
            self.country, self.country_s = country, at_s

    def leave(self, country: str, at_s: float) -> None:
        """Take back where it was seen last."""
        if (country, at_s) == (self.country, self.country_s):
            self.country, self.country_s = self.previous_country or (None, 0.0)
            self.previous_country = None

    def take_payment_back(self, logarithm: float) -> None:
        """Take back the last amount."""
        if self.amounts and self.amounts[-1] == logarithm:
            self.amounts.pop()


def _joined(history: "array[float]") -> "array[float]":
    """The same history with neighbours of one stretch of time joined, and the oldest dropped."""
    now_s = history[-3]
    joined = array("d")
    last_stretch: tuple[int, int] | None = None
    for place in range(0, len(history), 3):
        at_s = history[place]
        age = now_s - at_s
        if age >= WINDOW_S[Window.MONTH]:
            continue
        length = _LAST_STRETCH_S
        for limit, stretch in _STRETCH_S:
            if age < limit:
                length = stretch
                break
        # Stretches are the same at every joining, or they would grow from one to the next.
        this = (length, int(at_s // length))
        if this == last_stretch:
            joined[-3] = at_s
            joined[-2] += history[place + 1]
            joined[-1] += history[place + 2]
        else:
            joined.extend(history[place : place + 3])
            last_stretch = this
    return joined


def _trimmed(links: dict[int, int]) -> dict[int, int]:
    """Of each kind the partners that were seen last; trimming now and then costs little."""
    by_kind: dict[int, list[int]] = {}
    for key in links:
        by_kind.setdefault(key & KIND_BITS, []).append(key)
    for keys in by_kind.values():
        if len(keys) > MOST_PAIRS:
            keys.sort(key=lambda key: links[key] & _TIMES)
            del keys[:-MOST_PAIRS]
    return {key: links[key] for keys in by_kind.values() for key in keys}
