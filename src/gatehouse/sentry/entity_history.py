"""The past of one entity, small enough to keep a million of them, quick enough for every request.

A history is a row of (latest moment, events, sum) with the newest last. Recent events stand there
second by second; when the row grows long, neighbours of the same stretch of time are joined, with
stretches of at most a sixth of the window they fall into. So the counts of quiet entities are
exact, and a window over a busy one reaches back at most a sixth further than it says.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.sentry.memory import WINDOW_S, EntityKind, Window

LONGEST_HISTORY: Final = 64
MOST_PAIRS: Final = 24
"""So many different partners of one kind are always remembered; who has more has many."""
MOST_AMOUNTS: Final = 20
HIGH_S: Final = 14 * 86_400
_HIGH: Final = 0.9
"""An amount is high from about two and a half times the user's usual one on."""
_FEWEST_AMOUNTS: Final = 3
_MOST_HIGH: Final = 15

KIND_BITS: Final = 31
MOMENT: Final = 24
"""So many bits of a link say how often; those above say when last, so links compare by time."""
_TIMES: Final = (1 << MOMENT) - 1
_LONGEST: Final = LONGEST_HISTORY * 3
_STRETCHES_S: Final = (
    (7 * 86_400, 259_200.0),
    (86_400, 86_400.0),
    (3600, 10_800.0),
    (60, 600.0),
    (0, 10.0),
)
"""How long the stretches are that are joined, from which age on, the oldest first."""
_DAY_OF: Final = (86_400.0).__rfloordiv__
_DAY_S: Final = WINDOW_S[Window.DAY]
_MONTH_S: Final = WINDOW_S[Window.MONTH]


class EntityHistory(msgspec.Struct, gc=False):
    """What is remembered of an entity."""

    first_s: float
    last_s: float
    currency: str | None
    """Of the sums: amounts in another currency are events, but add nothing.

    When there is nothing to add to within a day, the sums begin anew in the other one.
    """
    events: int = 0
    spared: int = 0
    """How many events it had when it was last to be forgotten, and was not."""
    previous_s: float | None = None
    history: "array[float] | None" = None
    links: dict[int, int] | None = None
    """By key of the other entity: how often, and when last, in one number."""
    refused: "EntityHistory | None" = None
    """When its payments were refused, and of which cards."""

    def see(
        self, row: "array[float]", currency: str | None, met: Sequence[int], whole_s: int
    ) -> None:
        """Count an event, given as a row of the history, and whom it was met with."""
        at_s = row[0]
        events = self.events = self.events + 1
        if events == 1:
            self.first_s = self.last_s = at_s
            self.currency = currency
            self.history = row[:]
            self.links = linked(met, whole_s)
        else:
            last_s = self.previous_s = self.last_s
            if at_s >= last_s:
                self.last_s = at_s
            elif at_s < self.first_s:
                self.first_s = at_s
            adds = self.currency == currency or self._moves_to(currency, at_s, row[2])
            history = self.history
            if history is not None and int(history[-3]) < whole_s and adds:
                history.extend(row)
                if len(history) > _LONGEST:
                    self.history = _joined(history)
            else:
                self.add(at_s, row[2] if adds else 0.0)
            self._meet_all(met, whole_s)

    def _moves_to(self, currency: str | None, at_s: float, amount: float) -> bool:
        """Whether the sums can begin anew in another currency; if so, they do."""
        if not amount:
            return False
        history = self.history
        if history is not None:
            amounts = history[2::3]
            # Unknown currencies are no loss.
            if self.currency is not None and any(
                amounts[bisect_right(history[::3], at_s - _DAY_S) :]
            ):
                return False
            history[2::3] = array("d", bytes(8 * len(amounts)))
        self.currency = currency
        return True

    def _meet_all(self, met: Sequence[int], whole_s: int) -> None:
        """As `meet` does for each of them, without calling it: a request does this many times."""
        links = self.links
        if links is None:
            self.links = linked(met, whole_s)
            return
        for key in met:
            known = links.get(key)
            if known is None:
                self.meet(key, whole_s)
                links = self.links or links
            else:
                later_s = whole_s - (known >> MOMENT)
                links[key] = known + (later_s << MOMENT | 1 if later_s > 0 else 1)

    def refuse(self, at_s: float, card: int | None) -> None:
        """Note that a payment was refused."""
        refused = self.refused
        if refused is None:
            refused = self.refused = EntityHistory(at_s, at_s, None)
        refused.add(at_s, 0.0)
        if card is not None:
            refused.meet(card, int(at_s))

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
        if len(history) > _LONGEST:
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
                history[place + 2] = max(0.0, history[place + 2] - amount)
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
        moments = self.history[::3]
        start = bisect_right(moments, now_s - _MONTH_S)
        return days_of(moments[start : bisect_right(moments, now_s, start)])

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

    def meet(self, key: int, at_s: int) -> None:
        """Note that it was seen together with another entity."""
        links = self.links
        if links is None:
            self.links = {key: at_s << MOMENT | 1}
            return
        known = links.get(key)
        if known is not None:
            later_s = at_s - (known >> MOMENT)
            links[key] = known + (later_s << MOMENT | 1 if later_s > 0 else 1)
            return
        links[key] = at_s << MOMENT | 1
        if len(links) >= 2 * MOST_PAIRS and len(links) % MOST_PAIRS == 0:
            self.links = _trimmed(links)

    def part(self, key: int, whole_s: int | None = None) -> None:
        """Take one meeting back, which was at a moment."""
        links = self.links
        if links is None or key not in links:
            return
        left = links[key] - 1
        if not left & _TIMES:
            del links[key]
            return
        previous_s = self.previous_s
        if left >> MOMENT == whole_s and previous_s is not None and previous_s < whole_s:
            # When they had met before is not kept; it was no later than this.
            left -= whole_s - int(previous_s) << MOMENT
        links[key] = left

    def times_with(self, key: int) -> int:
        """How often it was seen together with another entity."""
        return 0 if self.links is None else self.links.get(key, 0) & _TIMES

    def partners(self, kind: EntityKind) -> list[int]:
        """When each of the entities of a kind that it was seen with was last there."""
        return [known >> MOMENT for known in self.links_to(kind)]

    def links_to(self, kind: EntityKind) -> list[int]:
        """The same as it is kept: how often is in the lowest bits, when last in those above."""
        links = self.links
        if links is None:
            return []
        return [known for key, known in links.items() if key & KIND_BITS == kind]


class Habits(EntityHistory, gc=False):
    """What is remembered of somebody who pays: also amounts and whereabouts."""

    amounts: "array[float] | None" = None
    """Natural logarithms of the last amounts, all in one currency."""
    country: str | None = None
    country_s: float = 0.0
    previous_country: tuple[str, float] | None = None
    paid_in: str | None = None
    """The currency of the amounts; that of the sums is another matter."""
    high: "array[float] | None" = None
    """When amounts were far above the usual ones, within the last two weeks."""

    def pay(self, logarithm: float, at_s: float) -> None:
        """Note an amount in the currency of this entity."""
        amounts = self.amounts
        if amounts is None:
            self.amounts = array("d", (logarithm,))
            return
        if len(amounts) >= _FEWEST_AMOUNTS and logarithm > _HIGH + sum(amounts) / len(amounts):
            self._note_high(at_s)
        amounts.append(logarithm)
        if len(amounts) > MOST_AMOUNTS:
            del amounts[0]

    def _note_high(self, at_s: float) -> None:
        high = self.high
        if high is None:
            self.high = array("d", (at_s,))
            return
        self.high = array("d", [each for each in high[-_MOST_HIGH:] if each > at_s - HIGH_S])
        self.high.append(at_s)

    def high_before(self, at_s: float) -> int:
        """How many amounts were far above the usual ones in the two weeks before a moment."""
        if self.high is None:
            return 0
        return len([1 for each in self.high if at_s - HIGH_S < each < at_s])

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

    def take_payment_back(self, logarithm: float, at_s: float) -> None:
        """Take back the last amount."""
        if self.amounts and self.amounts[-1] == logarithm:
            self.amounts.pop()
            if self.high and self.high[-1] == at_s:
                self.high.pop()


def linked(met: Sequence[int], whole_s: int) -> dict[int, int] | None:
    """The links of whoever meets all of them for the first time."""
    return dict.fromkeys(met, whole_s << MOMENT | 1) if met else None


def days_of(moments: "array[float]") -> int:
    """On how many different days some moments are."""
    return len(set(map(_DAY_OF, moments)))


def _joined(history: "array[float]") -> "array[float]":
    """The same history with neighbours of one stretch of time joined, and the oldest dropped."""
    moments, numbers, amounts = history[::3], history[1::3], history[2::3]
    now_s = moments[-1]
    joined = array("d")
    start = bisect_right(moments, now_s - _MONTH_S)
    for from_age_s, length_s in _STRETCHES_S:
        end = bisect_right(moments, now_s - from_age_s, start)
        # Stretches are the same at every joining, or they would grow from one to the next.
        stretches = array("d", map(length_s.__rfloordiv__, moments[start:end]))
        first = 0
        while first < len(stretches):
            after = bisect_right(stretches, stretches[first], first)
            low, high = start + first, start + after
            if high - low == 1:
                joined.extend(history[3 * low : 3 * high])
            else:
                number, amount = sum(numbers[low:high]), sum(amounts[low:high])
                joined.extend((moments[high - 1], number, amount))
            first = after
        start = end
    return joined


def _trimmed(links: dict[int, int]) -> dict[int, int]:
    """Of each kind the partners that were seen last; trimming now and then costs little."""
    by_kind: dict[int, list[int]] = {}
    for key in links:
        by_kind.setdefault(key & KIND_BITS, []).append(key)
    for keys in by_kind.values():
        if len(keys) > MOST_PAIRS:
            keys.sort(key=links.__getitem__)
            del keys[:-MOST_PAIRS]
    return {key: links[key] for keys in by_kind.values() for key in keys}
