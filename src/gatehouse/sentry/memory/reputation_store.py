"""Which entities have a reputation, and what it is as of an event.

The rate of fraud among an entity's events is drawn towards what is usual, the more the less is
known: towards what other accounts know of the same entity, and that towards the account's own rate.

Most merchants only report frauds. So events without a complaint speak for an entity with
a fraud, but they make no reputation better than the usual one: only a label of legitimate does.
"""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import exp, log, log2
from typing import Final, NamedTuple

import msgspec

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.account_stats import AccountStats
from gatehouse.sentry.memory.entity_history import KIND_BITS, EntityHistory
from gatehouse.sentry.memory.memory import DAY_S, MONTH_S, EntityKind, MemoryEvent
from gatehouse.sentry.memory.reputation import (
    HALF_LIFE_DAYS,
    SLOW_HALF_LIFE_DAYS,
    EntityReputation,
    LabelCounts,
    LabelTable,
    Sums,
)

USUAL_RATE: Final = 0.005
"""The least fraud rate that an account is thought to have, also before anything is known.

The first frauds that are reported among very many events do not mean that there were no others.
With a lower rate, one of them would speak against everybody who shares a bank or a provider.
"""
_USUAL_WEIGHT: Final = 200.0
_LN_2: Final = log(2)
_STEADY: Final = HALF_LIFE_DAYS / 0.6931 / 30
"""The weighted events of an entity that has long been steady, for each event of its month."""

SMOOTHING: Final[dict[EntityKind, float]] = {
    kinds.ADDRESS: 8.0,
    kinds.NETWORK: 20.0,
    kinds.OPERATOR: 100.0,
    kinds.COUNTRY: 100.0,
    kinds.PLACE: 5.0,
    kinds.USER: 10.0,
    kinds.CARD: 3.0,
    kinds.BIN: 30.0,
    kinds.ISSUER: 100.0,
    kinds.AFFILIATE: 2.0,
    kinds.DISCOUNT: 20.0,
    kinds.SHELF: 20.0,
    kinds.ARTICLE: 20.0,
    kinds.MIX: 20.0,
    kinds.CUSTOM: 20.0,
    kinds.EMAIL: 3.0,
    kinds.PHONE: 3.0,
    kinds.DEVICE_ID: 3.0,
}
"""The kinds that have a reputation, and how many events it takes for one of its own."""
SHARED: Final = frozenset(
    (kinds.ADDRESS, kinds.NETWORK, kinds.PLACE, kinds.CARD, kinds.BIN, kinds.EMAIL, kinds.PHONE)
)
"""Kinds whose values mean the same to all accounts, unlike an account's own names."""
_SHARED_SMOOTHING: Final = {kind: max(20.0, 2 * SMOOTHING[kind]) for kind in SHARED}
"""How many events of other accounts it takes: more than of its own."""
CROWDS: Final = frozenset(
    (kinds.NETWORK, kinds.OPERATOR, kinds.COUNTRY, kinds.BIN, kinds.ISSUER, kinds.DISCOUNT)
)
"""Kinds that strangers have in common."""
SLOW_SMOOTHING: Final = {
    kind: weight if kind in CROWDS else 5.0 for kind, weight in SMOOTHING.items()
}
"""How many events it takes for a reputation that is forgotten slowly."""
_WEIGHTS: Final = {kind: (SMOOTHING[kind], SLOW_SMOOTHING[kind]) for kind in SMOOTHING}
_SLOW_FADING: Final = 0.6931 / (SLOW_HALF_LIFE_DAYS * DAY_S)
_SLOWER: Final = SLOW_HALF_LIFE_DAYS / HALF_LIFE_DAYS
_YOUNG: Final = 0.02
"""Of ten days' events, nothing worth mentioning is forgotten."""
NEIGHBOURS: Final = 20
"""Labels of the account by which it is told whether fraud comes in a wave."""
_UNLABELLED: Final = LabelCounts()
# A plain name takes half as long as one of another module.
_ARTICLE: Final = kinds.ARTICLE
_SHELF: Final = kinds.SHELF
_NO_SUMS: Final = (0.0, 0.0, 0.0, 0.0)
_MOST_REPORTERS: Final = 8
"""How many of the accounts that reported an entity have its events looked up."""


_Pair = tuple[float, float]
"""A number that forgets within months, and the same one that forgets within years."""


class KeyedEvent(NamedTuple):
    """An event with the keys of its entities, the totals of its account, and what is remembered."""

    event: MemoryEvent
    keys: Sequence[int]
    stats: AccountStats
    peek: Callable[[int], EntityHistory | None]
    """The history of an entity by its key: of the event's own, and of the same elsewhere."""


class LabelTarget(NamedTuple):
    """What the label of an event counts for, in little room."""

    account_id: str
    day: int
    keys: "array[int]"
    shared: "array[int]"
    """Keys that all accounts share, each followed by the account's own key of the entity."""
    transaction: int | None


class ReputationStore:
    """Holds the labels of events, and derives the reputation of everything they touched."""

    def __init__(self, limit: int, *, shared: bool) -> None:
        self._labels = LabelTable(limit)
        self._shared = shared
        self._transactions: OrderedDict[int, tuple[int, int, int]] = OrderedDict()
        """Labelled transactions: which event's label counts, and how many of either kind came."""
        self._most_transactions = limit
        self.labelled: set[str] = set()
        """The accounts that have reported a label."""

    def label_target(self, event: MemoryEvent, keys: Sequence[int]) -> LabelTarget:
        """What a label of an event will count for."""
        # An entity that an event names twice has had the event once.
        own = dict.fromkeys([key for key in keys if key & KIND_BITS in SMOOTHING])
        shared = array("q")
        if self._shared:
            for place, key in _shared_keys(event):
                shared.extend((key, keys[place]))
        return LabelTarget(
            event.account_id,
            int(event.at_s // DAY_S),
            array("q", (*own, _account_key(event.account_id))),
            shared,
            next((key for key in keys if key & KIND_BITS == kinds.TRANSACTION), None),
        )

    def knows(self, keys: Iterable[int]) -> bool:
        """Whether there is a label of any of these entities."""
        return any(key in self._labels for key in keys)

    def has_fraud(self, key: int) -> bool:
        """Whether a fraud of an entity is known."""
        labels = self._labels.get(key)
        return labels is not None and labels.frauds > 0

    def replace(self, target: LabelTarget, *, fraud: bool | None, previous: bool | None) -> None:
        """Count a label in place of the previous one."""
        if previous is not None:
            self.note(target, fraud=previous, times=-1)
        if fraud is not None:
            self.note(target, fraud=fraud, times=1)

    def note(self, target: LabelTarget, *, fraud: bool, times: int) -> None:
        """Count a label for everything its event touched; with times below 0, take it back."""
        self.labelled.add(target.account_id)
        if target.transaction is None:
            self._count(target, fraud=fraud, times=times)
            return
        before, after = self._agreed(target.transaction, target, fraud=fraud, times=times)
        if before is not after:
            if before is not None:
                self._count(target, fraud=before, times=-1)
            if after is not None:
                self._count(target, fraud=after, times=1)

    def _count(self, target: LabelTarget, *, fraud: bool, times: int) -> None:
        counted: dict[int, int | None] = dict.fromkeys(target.keys)
        counted |= dict(zip(target.shared[::2], target.shared[1::2], strict=True))
        self._labels.add(counted, target.day, fraud=fraud, times=times)

    def _agreed(
        self, transaction: int, target: LabelTarget, *, fraud: bool, times: int
    ) -> tuple[bool | None, bool | None]:
        """The label of a transaction before and after one of its requests is labelled.

        A transaction of several requests is one order, and at most one fraud: one of its labels
        counts, a fraud before anything else. Where the requests differ in what they name, the
        label of the first one counts.
        """
        known = self._transactions
        event = hash((target.day, target.keys.tobytes()))
        first, frauds, others = known.get(transaction, (event, 0, 0))
        if first != event:
            return None, None
        before = _one_label(frauds, others)
        # A label from before the transaction was forgotten cannot be taken back.
        if fraud:
            frauds = max(frauds + times, 0)
        else:
            others = max(others + times, 0)
        if frauds or others:
            known[transaction] = (event, frauds, others)
            if len(known) > self._most_transactions:
                known.popitem(last=False)
        else:
            known.pop(transaction, None)
        return before, _one_label(frauds, others)

    def reporters(self, event: MemoryEvent, keys: Sequence[int]) -> list[int]:
        """Keys of the event's entities with other accounts, whose histories `of` would look up."""
        if not self._shared or len(self.labelled) <= (event.account_id in self.labelled):
            return []
        found: list[int] = []
        for place, shared_key in _shared_keys(event):
            labels = self._labels.get(shared_key)
            if labels is not None and labels.reporters is not None:
                reporters = islice(labels.reporters, _MOST_REPORTERS)
                found += [each for each in reporters if each != keys[place]]
        return found

    def of(self, keyed: KeyedEvent) -> dict[EntityKind, list[EntityReputation]]:
        """The reputation of every entity of an event that a label is known of."""
        event, keys = keyed.event, keyed.keys
        found: dict[EntityKind, list[EntityReputation]] = {}
        reports = event.account_id in self.labelled
        if not reports and not self._shared:
            return found
        get, day = self._labels.get, int(event.at_s // DAY_S)
        own = list(map(get, keys)) if reports else [None] * len(keys)
        # Other accounts could know what this one does not.
        asked = _shared_keys(event) if self._shared and len(self.labelled) > reports else ()
        everybody = {place: labels for place, key in asked if (labels := get(key)) is not None}
        if not everybody and not any(own):
            return found
        account, of_shelf = self._account(keyed, day), None
        base, slow_base = usual_ones = account.base, account.slow_base
        unlike, slow_unlike = 1 - base, 1 - slow_base
        # Every request comes by here with a dozen entities, so rates are worked out without a call.
        for place, labels in enumerate(own):
            # Most entities were never labelled.
            if labels is None and of_shelf is None and place not in everybody:
                continue
            kind, usual, known = event.entities[place][0], usual_ones, labels
            if of_shelf is not None:
                # An article follows its shelf, whose rate is the usual one for it.
                usual, of_shelf = (of_shelf if kind is _ARTICLE else usual_ones), None
            if known is None:
                known = everybody.get(place) or (_UNLABELLED if usual is not usual_ones else None)
                if known is None:
                    continue
            sums = _NO_SUMS if labels is None else labels.sums(day)
            if everybody and place in everybody:
                entity = kind, keys[place]
                elsewhere = self._elsewhere(entity, everybody[place], sums, keyed, base)
                usual = elsewhere, elsewhere
            frauds, labelled, slow_frauds, slow_labelled = sums
            weight, slow_weight = _WEIGHTS[kind]
            # The rates of its frauds and all labels, drawn towards what is usual.
            rate = (frauds + weight * usual[0]) / (labelled + weight)
            slow_rate = (slow_frauds + slow_weight * usual[1]) / (slow_labelled + slow_weight)
            if rate > base or slow_rate > slow_base:
                counted = labelled + weight, slow_labelled + slow_weight
                rate, slow_rate = account.drawn_down(keys[place], sums, counted, (rate, slow_rate))
            if kind is _SHELF:
                of_shelf = rate, slow_rate
            # How much likelier fraud is than usual, in log-odds. The function `log` may have a
            # base, so it takes three times as long as `log2`.
            risk = slow_risk = 0.0
            if rate != base:
                risk = log2(rate * unlike / (base * (1 - rate))) * _LN_2
            if slow_rate != slow_base:
                odds = slow_rate * slow_unlike / (slow_base * (1 - slow_rate))
                slow_risk = log2(odds) * _LN_2
            frauds = frauds if labels is not None else known.recent(day)[0]
            reputation = EntityReputation(known, day, risk, slow_risk, frauds)
            found.setdefault(kind, []).append(reputation)
        return found

    def frauds_of(self, key: int, at_s: float) -> float:
        """Known frauds of one entity of an account, each worth less the older it is."""
        labels = self._labels.get(key)
        return 0.0 if labels is None else labels.recent(int(at_s // DAY_S))[0]

    def latest_outcomes(self, account_id: str) -> float | None:
        """The share of frauds among the latest labels of an account; None without any."""
        labels = self._labels.get(_account_key(account_id))
        return None if labels is None else labels.latest_share(NEIGHBOURS)

    def _account(self, keyed: KeyedEvent, day: int) -> "_AccountRates":
        """The account's rates of fraud, and the share of legitimate events that it never labels.

        A merchant who labels everything has not labelled the newest events yet; where a merchant
        only reports frauds, everything without a label is legitimate.
        """
        counts, stats = self._labels.get(_account_key(keyed.event.account_id)), keyed.stats
        sums = _NO_SUMS if counts is None else counts.sums(day)
        frauds, labels, slow_frauds, slow_labels = sums
        recent, events = stats.recent, stats.events
        unlabelled = recent - labels if recent > labels else 0.0
        legitimate = labels - frauds
        silent = unlabelled / (unlabelled + legitimate) if legitimate > 0 else 1.0
        slow_recent = recent * _SLOWER
        slow_recent = events if events < slow_recent else slow_recent
        slow_unlabelled = slow_recent - slow_labels if slow_recent > slow_labels else 0.0
        return _AccountRates(
            _account_rate(frauds, labels + unlabelled * silent),
            _account_rate(slow_frauds, slow_labels + slow_unlabelled * silent),
            silent,
            keyed,
        )

    def _elsewhere(
        self,
        entity: tuple[EntityKind, int],
        everybody: LabelCounts,
        own: Sums,
        keyed: KeyedEvent,
        base: float,
    ) -> float:
        """The rate of fraud among an entity's events with other accounts.

        `own` holds the labels of this account.
        """
        kind, key = entity
        frauds, labels, _, _ = own
        all_frauds, all_labels = everybody.recent(int(keyed.event.at_s // DAY_S))
        others, others_labels = max(all_frauds - frauds, 0.0), max(all_labels - labels, 0.0)
        weight = _SHARED_SMOOTHING[kind]
        rate = (others + weight * base) / (others_labels + weight)
        if rate > base:
            events = max(others_labels, _events_elsewhere(everybody, key, keyed))
            rate = max((others + weight * base) / (events + weight), base)
        return rate


def _account_rate(frauds: float, events: float) -> float:
    rate = (frauds + _USUAL_WEIGHT * USUAL_RATE) / (events + _USUAL_WEIGHT)
    return rate if rate > USUAL_RATE else USUAL_RATE


class _AccountRates(msgspec.Struct, gc=False):
    """How much fraud is usual for an account at an event, which its entities are compared with."""

    base: float
    slow_base: float
    silent: float
    keyed: KeyedEvent

    def drawn_down(self, key: int, labels: Sums, counted: _Pair, rates: _Pair) -> _Pair:
        """The rates of an entity that has more fraud than usual among what is labelled.

        Most merchants only report frauds, so events without a label count, too: they draw a rate
        down to the account's, and no further.
        """
        rate, slow_rate = rates
        base, slow_base = self.base, self.slow_base
        events, slow_events = _events_of(key, self.keyed)
        unlabelled = (events - labels[1]) * self.silent
        if rate > base and unlabelled > 0:
            drawn = rate * counted[0] / (counted[0] + unlabelled)
            rate = drawn if drawn > base else base
        unlabelled = (slow_events - labels[3]) * self.silent
        if slow_rate > slow_base and unlabelled > 0:
            drawn = slow_rate * counted[1] / (counted[1] + unlabelled)
            slow_rate = drawn if drawn > slow_base else slow_base
        return rate, slow_rate


def _events_of(key: int, keyed: KeyedEvent) -> _Pair:
    """Events of the entity before this one, each worth less the older it is."""
    history, at_s = keyed.peek(key), keyed.event.at_s
    if history is None:
        stats = keyed.stats
        times = stats.tallies.get(key) or stats.sold.get(key, 0)
        share = stats.recent / stats.events if stats.events else 0.0
        slow_share = share * _SLOWER
        return times * share, times * (slow_share if slow_share < 1.0 else 1.0)
    before = _recent_events(history, at_s) - 1.0
    before = before if before > 0.0 else 0.0
    # As if its events were spread evenly over the time that it has been known for.
    age = (at_s - history.first_s) * _SLOW_FADING
    left = (1 - exp(-age)) / age if age > _YOUNG else 1.0
    slow_before = (history.events - 1) * left
    return before, slow_before if slow_before > before else before


def _events_elsewhere(everybody: LabelCounts, key: int, keyed: KeyedEvent) -> float:
    """Events of the entity with the other accounts that have labelled it."""
    reporters = islice(everybody.reporters or (), _MOST_REPORTERS)
    histories = [keyed.peek(each) for each in reporters if each != key]
    at_s = keyed.event.at_s
    return sum([_recent_events(history, at_s) for history in histories if history is not None])


def _recent_events(history: EntityHistory, at_s: float) -> float:
    if history.first_s > at_s - MONTH_S and history.last_s <= at_s:
        return history.events  # All of them are of this month; the timeline has no more to say.
    return min(_STEADY * history.count(at_s - MONTH_S, at_s), history.events)


def _one_label(frauds: int, others: int) -> bool | None:
    """What several labels of one order come to."""
    return True if frauds else False if others else None


def _account_key(account_id: str) -> int:
    return hash((account_id, "all"))


def _shared_keys(event: MemoryEvent) -> Iterator[tuple[int, int]]:
    """The keys of entities that mean the same to all accounts, with their places."""
    for place, (kind, value) in enumerate(event.entities):
        if kind in SHARED:
            yield place, hash(("", kind, value))
