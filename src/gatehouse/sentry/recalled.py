"""What the memory of this process recalls for one event; implements the views of the port."""

from bisect import bisect_left
from collections.abc import Sequence

from gatehouse.sentry.entity_history import TIME_SHIFT, EntityHistory
from gatehouse.sentry.memory import EntityKind, EntityView, Spread
from gatehouse.sentry.reputation import EntityReputation
from gatehouse.sentry.reputation_store import KeyedEvent, ReputationStore
from gatehouse.sentry.user_history import UserHistory
from gatehouse.sentry.velocity import PLANS, VelocityEvent, measured


class RecalledEntity:
    """One entity's history as of an event; implements `EntityView`."""

    __slots__ = (
        *("_currency", "_history", "_keys", "_now_s", "_paid", "_sorted"),
        *("events", "first_s", "previous_s"),
    )

    def __init__(self, history: EntityHistory, recalled: "RecalledHistory") -> None:
        # A reference to `recalled` itself would be a cycle, which is freed late.
        self._history = history
        self._now_s = recalled.at_s
        self._currency = recalled.currency
        self._keys = recalled.keys
        self._paid = recalled.paid
        self._sorted: dict[EntityKind, list[int]] = {}
        self.events = history.events
        self.first_s = history.first_s
        self.previous_s = history.previous_s

    def count(self, span_s: int) -> float:
        """How many events there were in the last so many seconds."""
        now_s = self._now_s
        return self._history.count(now_s - span_s, now_s)

    def total(self, span_s: int) -> float:
        """The sum of their amounts."""
        now_s = self._now_s
        return self._history.total(now_s - span_s, now_s)

    def active_days(self) -> int:
        """On how many different days of the last month it was seen."""
        return self._history.active_days(self._now_s)

    def distinct(self, kind: EntityKind, span_s: int) -> int:
        """With how many different entities of a kind it was seen lately."""
        links = self._sorted.get(kind)
        if links is None:
            links = self._sorted[kind] = self._history.links_to(kind)
            links.sort()
        # Links compare by time: those of a second lie below the least of the next one.
        now_s = self._now_s
        since = int(now_s - span_s) + 1 << TIME_SHIFT
        return bisect_left(links, int(now_s) + 1 << TIME_SHIFT) - bisect_left(links, since)

    def times_with(self, kind: EntityKind) -> int:
        """How often it was seen with this event's entity of a kind."""
        key = self._keys.get(kind)
        return 0 if key is None else self._history.times_with(key)

    def previous_country(self) -> tuple[str, float] | None:
        """The country a user was last seen in before this event, and when."""
        history = self._history
        return history.previous_country if isinstance(history, UserHistory) else None

    def high_amounts(self) -> int:
        """How many of a user's earlier amounts were far above the usual ones lately."""
        history = self._history
        return history.high_before(self._now_s) if isinstance(history, UserHistory) else 0

    def usual_amounts(self) -> Sequence[float]:
        """Earlier amounts in this event's currency."""
        history = self._history
        if not isinstance(history, UserHistory) or history.amounts is None:
            return ()
        if history.paid_in != self._currency:
            return ()
        return history.amounts[:-1] if self._paid else history.amounts


class RecalledHistory:
    """What is known about everything an event touches; implements `History`."""

    __slots__ = (
        *("_amount", "_event", "_reputations", "_views", "at_s", "counted", "currency", "first"),
        *("histories", "keys", "kinds", "paid", "stats"),
    )

    def __init__(self, event: KeyedEvent, reputations: ReputationStore) -> None:
        self._event = event
        self._reputations = reputations
        self._views: dict[EntityKind, RecalledEntity] = {}
        self._amount = event.event.amount or 0.0
        self.stats = event.stats
        self.at_s = event.event.at_s
        self.currency = event.event.currency
        self.counted = True
        self.keys: dict[EntityKind, int] = {}
        self.kinds: tuple[EntityKind, ...] = ()
        self.histories: list[EntityHistory] = []
        """Those of the event's entities that have one; `kinds` are their kinds."""
        self.first: dict[EntityKind, EntityHistory] = {}
        self.paid = False

    @property
    def events(self) -> int:
        """Events of the account so far."""
        return self.stats.events

    @property
    def users(self) -> int:
        """Different users of the account so far."""
        return self.stats.users

    def of(self, kind: EntityKind) -> EntityView | None:
        """The history of this event's entity of a kind."""
        found = self._views.get(kind)
        if found is None and kind in self.first:
            found = self._views[kind] = RecalledEntity(self.first[kind], self)
        return found

    def popularity(self, kind: EntityKind) -> int:
        """How often this event's entity of a kind was seen with any user."""
        history = self.first.get(kind)
        if history is not None:
            return history.events
        key = self.keys.get(kind)
        return 0 if key is None else self.stats.tallies.get(key, 0)

    def all_of(self, kind: EntityKind) -> Sequence[EntityView]:
        """The histories of all the event's entities of a kind."""
        if kind not in self.keys:
            return ()
        found = zip(self.kinds, self.histories, strict=True)
        return [RecalledEntity(history, self) for each, history in found if each is kind]

    def usual_amounts(self) -> Spread | None:
        """How the account's amounts in this currency spread."""
        return self.stats.usual_amounts(self.currency)

    def reputation(self) -> dict[EntityKind, list[EntityReputation]]:
        """The reputation of every entity of the event that a label is known of."""
        return self._reputations.of(self._event) if self._reputations.labelled else {}

    def velocity(self) -> dict[str, list[float]]:
        """What rules can ask of the history."""
        last = dict(zip(self.kinds, self.histories, strict=True))
        event = VelocityEvent(self.at_s, self.keys, self.counted, self._amount, self.currency)
        found = {}
        for plan in PLANS:
            history = last.get(plan.kind)
            if history is not None:
                found[plan.signal] = measured(plan, history, event)
        return found
