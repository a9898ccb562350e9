"""The history of one entity: small, because a million are kept, and quick for every request.

The timeline is a row of (latest moment, events, sum) with the newest last. Recent events stand
there second by second; when the row grows long, neighbours of the same stretch of time are joined,
with stretches of at most a sixth of the window they fall into. So the counts of quiet entities are
exact, and a window over a busy one reaches back at most a sixth further than it says.

The history of a user: besides events also the usual amounts and the countries.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, MINUTE_S, MONTH_S, WEEK_S, EntityKind

LONGEST_TIMELINE: Final = 64
MOST_PAIRS: Final = 24
"""So many partners of one kind are always remembered; an entity with more simply has many."""

KIND_BITS: Final = 31
TIME_SHIFT: Final = 24
"""The lower bits of a link say how often, those above when last; so links compare by time."""
_TIMES: Final = (1 << TIME_SHIFT) - 1
_LONGEST: Final = LONGEST_TIMELINE * 3
_STRETCHES_S: Final = (
    (WEEK_S, 259_200.0),
    (DAY_S, 86_400.0),
    (HOUR_S, 10_800.0),
    (MINUTE_S, 600.0),
    (0, 10.0),
)
"""From which age on stretches of what length are joined, the oldest first."""
_DAY_OF: Final = float(DAY_S).__rfloordiv__


class EntityHistory(msgspec.Struct, gc=False):
    """What is remembered of an entity."""

    first_s: float
    last_s: float
    currency: str | None
    """The currency of the sums; an event in another currency is counted and adds nothing.

    When the last day holds no amount, the sums start again in the other currency.
    """
    events: int = 0
    spared: int = 0
    """The events it had when it was last a candidate for being forgotten; see `Shard`."""
    previous_s: float | None = None
    timeline: "array[float] | None" = None
    links: dict[int, int] | None = None
    """By key of the other entity: how often they were seen together and when last, in one number.
    """
    refused: "EntityHistory | None" = None
    """The times at which its payments were refused, linked to the cards."""

    def see(
        self, row: "array[float]", currency: str | None, met: Sequence[int], whole_s: int
    ) -> None:
        """Count an event, given as a row of the timeline, and its partners."""
        at_s = row[0]
        self.events += 1
        if self.events == 1:
            self.first_s = self.last_s = at_s
            self.currency = currency
            self.timeline = row[:]
            self.links = new_links(met, whole_s)
            return
        last_s = self.previous_s = self.last_s
        if at_s >= last_s:
            self.last_s = at_s
        elif at_s < self.first_s:
            self.first_s = at_s
        adds = self.currency == currency or self._change_currency(currency, at_s, row[2])
        timeline = self.timeline
        if timeline is not None and int(timeline[-3]) < whole_s and adds:
            timeline.extend(row)
            if len(timeline) > _LONGEST:
                self.timeline = _joined(timeline)
        else:
            self.add(at_s, row[2] if adds else 0.0)
        links = self.links or {}
        for key in met:
            # As in `meet`, written out: with eight partners this takes 1.5 µs instead of 1.9.
            known = links.get(key)
            if known is None:
                self.meet(key, whole_s)
                links = self.links or links
            else:
                later_s = whole_s - (known >> TIME_SHIFT)
                links[key] = known + (later_s << TIME_SHIFT | 1 if later_s > 0 else 1)

    def _change_currency(self, currency: str | None, at_s: float, amount: float) -> bool:
        """Start the sums again in another currency, if nothing was paid within the last day."""
        if not amount:
            return False
        timeline = self.timeline
        if timeline is not None:
            if timeline[-1] and timeline[-3] > at_s - DAY_S and self.currency is not None:
                return False  # As most are, without a look at the whole timeline.
            amounts = timeline[2::3]
            recent = amounts[bisect_right(timeline[::3], at_s - DAY_S) :]
            # Sums in an unknown currency are no loss.
            if self.currency is not None and any(recent):
                return False
            timeline[2::3] = array("d", bytes(8 * len(amounts)))
        self.currency = currency
        return True

    def refuse(self, at_s: float, card: int | None) -> None:
        """Note that a payment was refused."""
        refused = self.refused
        if refused is None:
            refused = self.refused = EntityHistory(at_s, at_s, None)
        refused.add(at_s, 0.0)
        if card is not None:
            refused.meet(card, int(at_s))

    def take_refusal_back(self, at_s: float, card: int | None) -> None:
        """Forget that a payment was refused."""
        refused = self.refused
        if refused is None:
            return
        refused.take_back(at_s, 0.0)
        if card is not None:
            refused.part(card, int(at_s))
        if refused.timeline is None:
            self.refused = None

    def add(self, at_s: float, amount: float) -> None:
        """Note an event in the timeline; most come in the order of time."""
        timeline = self.timeline
        if timeline is None:
            self.timeline = array("d", (at_s, 1.0, amount))
            return
        last_s = timeline[-3]
        if at_s >= last_s:
            if int(at_s) == int(last_s):
                timeline[-3] = at_s
                timeline[-2] += 1.0
                timeline[-1] += amount
                return
            timeline.extend((at_s, 1.0, amount))
        else:
            place = len(timeline) - 3
            while place > 0 and timeline[place - 3] > at_s:
                place -= 3
            timeline[place:place] = array("d", (at_s, 1.0, amount))
        if len(timeline) > _LONGEST:
            self.timeline = _joined(timeline)

    def take_back(self, at_s: float, amount: float) -> None:
        """Remove an event from the timeline."""
        timeline = self.timeline
        if timeline is None:
            return
        for place in range(len(timeline) - 3, -1, -3):
            # A joined stretch bears its latest moment, which is not before the event's own.
            if timeline[place] >= at_s and (place == 0 or timeline[place - 3] < at_s):
                timeline[place + 1] -= 1.0
                timeline[place + 2] = max(0.0, timeline[place + 2] - amount)
                if timeline[place + 1] <= 0:
                    del timeline[place : place + 3]
                break
        if not timeline:
            self.timeline = None

    def count(self, since_s: float, until_s: float) -> float:
        """How many events there were after a moment and not after another."""
        return self._sum(since_s, until_s, 1)

    def total(self, since_s: float, until_s: float) -> float:
        """The sum of the amounts of the same events."""
        return self._sum(since_s, until_s, 2)

    def active_days(self, now_s: float) -> int:
        """On how many different days of the last month it was seen; a lower bound if busy."""
        if self.timeline is None:
            return 0
        moments = self.timeline[::3]
        start = bisect_right(moments, now_s - MONTH_S)
        return days_of(moments[start : bisect_right(moments, now_s, start)])

    def _sum(self, since_s: float, until_s: float, column: int) -> float:
        timeline = self.timeline
        if timeline is None or timeline[-3] <= since_s:
            return 0.0
        if timeline[0] > since_s and timeline[-3] <= until_s:
            return sum(timeline[column::3])
        moments = timeline[::3]
        start = bisect_right(moments, since_s)
        # A late event is compared with what was before it, not with what came since.
        end = bisect_right(moments, until_s, start)
        return sum(timeline[3 * start + column : 3 * end : 3])

    def meet(self, key: int, at_s: int) -> None:
        """Note that it was seen together with another entity."""
        links = self.links
        if links is None:
            self.links = {key: at_s << TIME_SHIFT | 1}
            return
        known = links.get(key)
        if known is not None:
            later_s = at_s - (known >> TIME_SHIFT)
            links[key] = known + (later_s << TIME_SHIFT | 1 if later_s > 0 else 1)
            return
        links[key] = at_s << TIME_SHIFT | 1
        if len(links) >= 2 * MOST_PAIRS and len(links) % MOST_PAIRS == 0:
            self.links = _trimmed(links)

    def part(self, key: int, whole_s: int | None = None) -> None:
        """Take back one meeting with another entity, which was at a moment."""
        links = self.links
        if links is None or key not in links:
            return
        left = links[key] - 1
        if not left & _TIMES:
            del links[key]
            return
        previous_s = self.previous_s
        if left >> TIME_SHIFT == whole_s and previous_s is not None and previous_s < whole_s:
            # The moment of the meeting before this one is not kept; it was no later than this.
            left -= whole_s - int(previous_s) << TIME_SHIFT
        links[key] = left

    def times_with(self, key: int) -> int:
        """How often it was seen together with another entity."""
        return 0 if self.links is None else self.links.get(key, 0) & _TIMES

    def links_to(self, kind: EntityKind) -> list[int]:
        """Its links to entities of a kind."""
        links = self.links
        if links is None:
            return []
        return [known for key, known in links.items() if key & KIND_BITS == kind]


def new_links(met: Sequence[int], whole_s: int) -> dict[int, int] | None:
    """The links of an entity that meets all of its partners for the first time."""
    return dict.fromkeys(met, whole_s << TIME_SHIFT | 1) if met else None


def days_of(moments: "array[float]") -> int:
    """On how many different days some moments are."""
    return len(set(map(_DAY_OF, moments)))


def _joined(timeline: "array[float]") -> "array[float]":
    """The same timeline with neighbours of one stretch of time joined, and the oldest dropped."""
    moments, numbers, amounts = timeline[::3], timeline[1::3], timeline[2::3]
    now_s = moments[-1]
    joined = array("d")
    start = bisect_right(moments, now_s - MONTH_S)
    for from_age_s, length_s in _STRETCHES_S:
        end = bisect_right(moments, now_s - from_age_s, start)
        # Stretches are the same at every joining, or they would grow from one to the next.
        stretches = array("d", map(length_s.__rfloordiv__, moments[start:end]))
        first = 0
        while first < len(stretches):
            after = bisect_right(stretches, stretches[first], first)
            low, high = start + first, start + after
            joined.extend((moments[high - 1], sum(numbers[low:high]), sum(amounts[low:high])))
            first = after
        start = end
    return joined


def _trimmed(links: dict[int, int]) -> dict[int, int]:
    """The partners of each kind that were seen last; trimming now and then costs little."""
    by_kind: dict[int, list[int]] = {}
    for key in links:
        by_kind.setdefault(key & KIND_BITS, []).append(key)
    for keys in by_kind.values():
        if len(keys) > MOST_PAIRS:
            keys.sort(key=links.__getitem__)
            del keys[:-MOST_PAIRS]
    return {key: links[key] for keys in by_kind.values() for key in keys}


MOST_AMOUNTS: Final = 20
HIGH_S: Final = 14 * DAY_S
_HIGH: Final = 0.9
"""An amount is high from about two and a half times the user's usual one on."""
_FEWEST_AMOUNTS: Final = 3
_MOST_HIGH: Final = 15


class UserHistory(EntityHistory, gc=False):
    """What is remembered of a user."""

    amounts: "array[float] | None" = None
    """Natural logarithms of the last amounts, all in one currency."""
    country: str | None = None
    country_s: float = 0.0
    previous_country: tuple[str, float] | None = None
    paid_in: str | None = None
    """The currency of the amounts, which can differ from that of the sums."""
    high: "array[float] | None" = None
    """When amounts were far above the usual ones, within the last two weeks."""

    def pay(self, logarithm: float, currency: str | None, at_s: float) -> None:
        """Note an amount; in another currency than before, the usual amounts start again."""
        if self.paid_in != currency:
            self.paid_in, self.amounts = currency, None
        amounts = self.amounts
        if amounts is None:
            self.amounts = array("d", (logarithm,))
            return
        if len(amounts) >= _FEWEST_AMOUNTS and logarithm > _HIGH + sum(amounts) / len(amounts):
            recent = [each for each in (self.high or ())[-_MOST_HIGH:] if each > at_s - HIGH_S]
            self.high = array("d", (*recent, at_s))
        amounts.append(logarithm)
        if len(amounts) > MOST_AMOUNTS:
            del amounts[0]

    def high_before(self, at_s: float) -> int:
        """How many amounts were far above the usual ones in the two weeks before a moment."""
        return len([1 for each in self.high or () if at_s - HIGH_S < each < at_s])

    def take_payment_back(self, logarithm: float, currency: str | None, at_s: float) -> None:
        """Take back the last amount."""
        if self.paid_in == currency and self.amounts and self.amounts[-1] == logarithm:
            self.amounts.pop()
            if self.high and self.high[-1] == at_s:
                self.high.pop()

    def arrive(self, country: str, at_s: float) -> None:
        """Note the country that the user was seen in."""
        if self.country is not None:
            self.previous_country = (self.country, self.country_s)
        if at_s >= self.country_s:
            self.country, self.country_s = country, at_s

    def leave(self, country: str, at_s: float) -> None:
        """Take back the country that the user was seen in last."""
        if (country, at_s) == (self.country, self.country_s):
            self.country, self.country_s = self.previous_country or (None, 0.0)
            self.previous_country = None
