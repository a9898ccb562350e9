"""Which card numbers of a request count against the limit on numbers that look alike.

BIN and last four of a card are kept readable and leave a thousand numbers. An account that sends
more than a few of these is trying them out. The store counts; see `store.requests.card_numbers`.
"""

from collections.abc import Iterable
from typing import Final

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.pipeline.settlement import NumberSent, NumbersLimit

_MOST_REMEMBERED: Final = 50_000
# Less than the day for which a number counts, so that one in constant use is never forgotten.
_NOTED_AGAIN_MS: Final = 12 * 3_600_000
_WATCHED_MS: Final = 24 * 3_600_000


class EnumerationLimit:
    """Turns cards into marks, and remembers those that the store noted lately."""

    def __init__(self, fingerprints: Fingerprints, most: int) -> None:
        """`most` numbers that share BIN and last four are allowed for a day; 0 is any number."""
        self._fingerprints = fingerprints
        self._most = most
        self._noted: dict[str, int] = {}
        self._watched: set[str] = set()
        """Groups of which a number was refused here; the store is asked about all of theirs."""
        self._watched_until_ms = 0

    def check(
        self, account_id: str, cards: Iterable[tuple[CardNumber, str]], now_ms: int
    ) -> NumbersLimit | None:
        """What the store has to check of cards, each with its inner fingerprint.

        Numbers that it noted lately are left out: they are allowed, and cost nothing. That holds
        until one of their group is refused, because the store may refuse all of them then.
        """
        if not self._most:
            return None
        sent, watching = [], now_ms < self._watched_until_ms
        for number, inner in cards:
            mark = self._fingerprints.number_mark(account_id, inner)
            is_noted = self._noted.get(mark, 0) > now_ms - _NOTED_AGAIN_MS
            if is_noted and not watching:
                continue
            group = self._fingerprints.group_mark(account_id, number)
            if not is_noted or group in self._watched:
                sent.append(NumberSent(group, mark))
        return NumbersLimit(self._most, tuple(sent)) if sent else None

    def noted(self, limit: NumbersLimit, now_ms: int) -> None:
        """Remember that the store has noted these numbers."""
        for each in limit.sent:
            self._noted.pop(each.number, None)
            self._noted[each.number] = now_ms
        while len(self._noted) > _MOST_REMEMBERED:
            del self._noted[next(iter(self._noted))]

    def refused(self, limit: NumbersLimit, now_ms: int) -> None:
        """Ask the store about all numbers of these groups from now on."""
        if now_ms >= self._watched_until_ms or len(self._watched) >= _MOST_REMEMBERED:
            self._watched.clear()
        self._watched.update([each.group for each in limit.sent])
        self._watched_until_ms = now_ms + _WATCHED_MS
