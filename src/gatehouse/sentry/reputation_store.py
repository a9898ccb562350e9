"""Which entities have a reputation, and how it stands as of an event.

The rate of fraud among an entity's events is drawn towards what is usual, the more the less is
known: towards what other accounts know of the same entity, and that towards the account's own rate.

Most merchants only tell of frauds. So everything that nobody complained about speaks for whoever
had a fraud, but gives nobody a better name than is usual: only what turned out well does.
"""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import log
from typing import Final, NamedTuple

from gatehouse.sentry.account_stats import AccountStats
from gatehouse.sentry.entity_history import KIND_BITS, EntityHistory
from gatehouse.sentry.memory import WINDOW_S, EntityKind, MemoryEvent, Window
from gatehouse.sentry.reputation import HALF_LIFE_DAYS, EntityReputation, Ledger, Outcomes

DAY_S: Final = 86_400
USUAL_RATE: Final = 0.005
"""How much fraud an account is thought to have of which nothing is known yet, and at least.

The first frauds that are reported among very many events do not mean that there were no others.
With a lower rate, one of them would speak against everybody who shares a bank or a provider.
"""
_USUAL_WEIGHT: Final = 200.0
_MONTH_S: Final = WINDOW_S[Window.MONTH]
_STEADY: Final = HALF_LIFE_DAYS / 0.6931 / 30
"""What the events of a month come to with their weights, of whoever comes steadily for long."""

SMOOTHING: Final[dict[EntityKind, float]] = {
    EntityKind.ADDRESS: 8.0,
    EntityKind.NETWORK: 20.0,
    EntityKind.OPERATOR: 100.0,
    EntityKind.COUNTRY: 100.0,
    EntityKind.PLACE: 5.0,
    EntityKind.USER: 10.0,
    EntityKind.CARD: 3.0,
    EntityKind.BIN: 30.0,
    EntityKind.ISSUER: 100.0,
    EntityKind.AFFILIATE: 2.0,
    EntityKind.DISCOUNT: 20.0,
    EntityKind.SHELF: 20.0,
    EntityKind.ARTICLE: 20.0,
    EntityKind.MIX: 20.0,
    EntityKind.CUSTOM: 20.0,
    EntityKind.EMAIL: 3.0,
    EntityKind.PHONE: 3.0,
}
"""What has a reputation, and how many events it takes for one of its own."""
SHARED: Final = frozenset(
    (
        EntityKind.ADDRESS,
        EntityKind.NETWORK,
        EntityKind.PLACE,
        EntityKind.CARD,
        EntityKind.BIN,
        EntityKind.EMAIL,
        EntityKind.PHONE,
    )
)
"""What is the same thing for all accounts of an installation, and not a name of one of them."""
_SHARED_SMOOTHING: Final = {kind: max(20.0, 2 * SMOOTHING[kind]) for kind in SHARED}
"""How many events of others it takes: more than of one's own."""
_ARTICLE: Final = EntityKind.ARTICLE
_SHELF: Final = EntityKind.SHELF
_TRANSACTION: Final = EntityKind.TRANSACTION
_NOTHING: Final = Ledger()
_NO_LABELS: Final = (0.0, 0.0)
_MOST_SAYERS: Final = 8
"""Of so many accounts the events are looked up that speak for what they all know."""


class Moment(NamedTuple):
    """An event for which reputations are asked."""

    event: MemoryEvent
    keys: Sequence[int]
    """Of its entities."""
    house: AccountStats


class Touched(NamedTuple):
    """What the label of an event counts for, in little room."""

    account_id: str
    day: int
    keys: "array[int]"
    shared: "array[int]"
    """Keys of what other accounts know, too, each followed by the account's own key of it."""
    transaction: int | None


class Standings:
    """Knows what became of events, and how everything they touched stands."""

    def __init__(
        self, limit: int, peek: Callable[[int], EntityHistory | None], *, shared: bool
    ) -> None:
        self._outcomes = Outcomes(limit)
        self._peek = peek
        self._shared = shared
        self._spoken: OrderedDict[int, tuple[int, int, int]] = OrderedDict()
        """Transactions with a label: of which event it counts, and how many of either kind."""
        self._most_spoken = limit
        self.labelled: set[str] = set()
        """The accounts that have said anything."""

    def touched(self, event: MemoryEvent, keys: Sequence[int]) -> Touched:
        """What a label of an event will count for."""
        # A thing that an event names twice had the event once.
        own = dict.fromkeys([key for key in keys if key & KIND_BITS in SMOOTHING])
        shared = array("q")
        if self._shared:
            for place, key in _shared_keys(event):
                shared.extend((key, keys[place]))
        return Touched(
            event.account_id,
            int(event.at_s // DAY_S),
            array("q", (*own, _house_key(event.account_id))),
            shared,
            next((key for key in keys if key & KIND_BITS == _TRANSACTION), None),
        )

    def note(self, touched: Touched, *, fraud: bool, times: int) -> None:
        """Count a label for everything its event touched; with times below 0, take it back."""
        self.labelled.add(touched.account_id)
        if touched.transaction is None:
            self._count(touched, fraud=fraud, times=times)
            return
        before, after = self._agreed(touched.transaction, touched, fraud=fraud, times=times)
        if before is not after:
            if before is not None:
                self._count(touched, fraud=before, times=-1)
            if after is not None:
                self._count(touched, fraud=after, times=1)

    def _count(self, touched: Touched, *, fraud: bool, times: int) -> None:
        counted: dict[int, int | None] = dict.fromkeys(touched.keys)
        shared = touched.shared
        counted |= dict(zip(shared[::2], shared[1::2], strict=True))
        self._outcomes.add(counted, touched.day, fraud=fraud, times=times)

    def _agreed(
        self, transaction: int, touched: Touched, *, fraud: bool, times: int
    ) -> tuple[bool | None, bool | None]:
        """What was known of a transaction without a label, and what is known of it with it.

        An order that was asked about several times is one order, and one fraud: of its labels one
        counts, and a fraud before anything else. Where its requests differ in what they name, that
        of the first one counts.
        """
        spoken = self._spoken
        event = hash((touched.day, touched.keys.tobytes()))
        first, frauds, others = spoken.get(transaction, (event, 0, 0))
        if first != event:
            return None, None
        before = _one_of(frauds, others)
        # What was said before this transaction was forgotten cannot be taken back.
        if fraud:
            frauds = max(frauds + times, 0)
        else:
            others = max(others + times, 0)
        if frauds or others:
            spoken[transaction] = (event, frauds, others)
            if len(spoken) > self._most_spoken:
                spoken.popitem(last=False)
        else:
            spoken.pop(transaction, None)
        return before, _one_of(frauds, others)

    def of(self, moment: Moment) -> dict[EntityKind, list[EntityReputation]]:
        """How everything that an event touches and that has a reputation stands."""
        event, keys, _ = moment
        found: dict[EntityKind, list[EntityReputation]] = {}
        own = event.account_id in self.labelled
        if not own and not self._shared:
            return found
        get, day = self._outcomes.get, int(event.at_s // DAY_S)
        ledgers = [get(key) for key in keys] if own else [None] * len(keys)
        everybody: dict[int, Ledger] = {}
        if self._is_shared_with(own=own):
            shared = [(place, get(key)) for place, key in _shared_keys(event)]
            everybody = {place: ledger for place, ledger in shared if ledger is not None}
        base, silent, of_shelf = 0.0, 1.0, 0.0
        for place, ledger in enumerate(ledgers):
            # Most of what an event touches was never spoken of.
            if ledger is None and not of_shelf and place not in everybody:
                continue
            kind = event.entities[place][0]
            # An article stands behind its shelf.
            usual, of_shelf = (of_shelf if kind is _ARTICLE else 0.0), 0.0
            known = ledger or everybody.get(place) or (_NOTHING if usual else None)
            if known is None or kind not in SMOOTHING:
                continue
            if not base:
                base, silent = self._habits(moment, day)
            usual = usual or base
            frauds, labels = _NO_LABELS if ledger is None else ledger.recent(day)
            if place in everybody:
                entity = (kind, keys[place])
                usual = self._elsewhere(entity, everybody[place], (frauds, labels), moment, base)
            weight = SMOOTHING[kind]
            fraudulent = frauds + weight * usual
            rate = fraudulent / (labels + weight)
            if rate > base:
                # Most merchants only tell of frauds: all that nobody complained about counts, too.
                unheard = (self._events(keys[place], moment) - labels) * silent
                if unheard > 0:
                    rate = max(fraudulent / (labels + unheard + weight), base)
            if kind is _SHELF:
                of_shelf = rate
            if ledger is None:
                frauds = known.recent(day)[0]
            risk = log(rate * (1 - base) / (base * (1 - rate)))
            found.setdefault(kind, []).append(EntityReputation(known, day, risk, frauds))
        return found

    def _is_shared_with(self, *, own: bool) -> bool:
        """Whether others could know what this account does not."""
        return self._shared and len(self.labelled) > (1 if own else 0)

    def _habits(self, moment: Moment, day: int) -> tuple[float, float]:
        """How much fraud the account has, and of how much of what is none it never speaks.

        Whoever tells of everything sooner or later has not told of the newest events yet; for
        whoever only tells of frauds, all that was never spoken of turned out well.
        """
        ledger = self._outcomes.get(_house_key(moment.event.account_id))
        frauds, labels = _NO_LABELS if ledger is None else ledger.recent(day)
        unheard = max(moment.house.recent - labels, 0.0)
        well = labels - frauds
        silent = unheard / (unheard + well) if well > 0 else 1.0
        rate = (frauds + _USUAL_WEIGHT * USUAL_RATE) / (labels + unheard * silent + _USUAL_WEIGHT)
        return max(rate, USUAL_RATE), silent

    def _elsewhere(
        self,
        entity: tuple[EntityKind, int],
        everybody: Ledger,
        own: tuple[float, float],
        moment: Moment,
        base: float,
    ) -> float:
        """How much of what an entity does with other accounts is fraud.

        Own are the frauds and all labels of this account.
        """
        kind, key = entity
        frauds, labels = own
        all_frauds, all_labels = everybody.recent(int(moment.event.at_s // DAY_S))
        others, others_labels = max(all_frauds - frauds, 0.0), max(all_labels - labels, 0.0)
        weight = _SHARED_SMOOTHING[kind]
        rate = (others + weight * base) / (others_labels + weight)
        if rate > base:
            events = max(others_labels, self._events_elsewhere(everybody, key, moment))
            rate = max((others + weight * base) / (events + weight), base)
        return rate

    def _events(self, key: int, moment: Moment) -> float:
        """Events of the entity before this one, each worth less the older it is."""
        trace = self._peek(key)
        if trace is None:
            house = moment.house
            times = house.tallies.get(key) or house.sold.get(key, 0)
            return times * house.recent / house.events if house.events else 0.0
        return max(_recent_events(trace, moment.event.at_s) - 1.0, 0.0)

    def _events_elsewhere(self, everybody: Ledger, key: int, moment: Moment) -> float:
        """The same of an entity that other accounts have spoken of, for those accounts."""
        traces = [
            self._peek(each) for each in islice(everybody.sayers or (), _MOST_SAYERS) if each != key
        ]
        at_s = moment.event.at_s
        return sum([_recent_events(trace, at_s) for trace in traces if trace is not None])


def _recent_events(trace: EntityHistory, at_s: float) -> float:
    return min(_STEADY * trace.count(at_s - _MONTH_S, at_s), trace.events)


def _one_of(frauds: int, others: int) -> bool | None:
    """What several labels of one order come to."""
    return True if frauds else False if others else None


def _house_key(account_id: str) -> int:
    return hash((account_id, "all"))


def _shared_keys(event: MemoryEvent) -> Iterator[tuple[int, int]]:
    """The keys of what is the same thing for all accounts, with their places."""
    for place, (kind, value) in enumerate(event.entities):
        if kind in SHARED:
            yield place, hash(("", kind, value))
