"""What the memory recalls for one event. Counts include the event itself."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import TIME_SHIFT, EntityHistory, UserHistory
from gatehouse.sentry.memory.event_layout import EventLayout
from gatehouse.sentry.memory.history_changes import logarithm_of
from gatehouse.sentry.memory.memory import DAY_S, EntityKind, Spread
from gatehouse.sentry.memory.reputation import EntityReputation
from gatehouse.sentry.memory.reputation_store import KeyedEvent, ReputationStore
from gatehouse.sentry.memory.rings import Ring
from gatehouse.sentry.velocity import PLANS, VelocityEvent, measured, measured_first

_A_FRAUD: Final = 0.5
"""A fraud counts for so much after a month."""
_OF_CARDS: Final = next(plan for plan in PLANS if plan.kind is kinds.CARD)


class EntityView:
    """The history of one entity, this event included."""

    __slots__ = (
        *("_currency", "_history", "_keys", "_now_s", "_paid", "_sorted"),
        *("events", "first_s", "previous_s"),
    )

    def __init__(self, history: EntityHistory, recalled: "History") -> None:
        # A reference to `recalled` itself would be a cycle, which is freed late.
        self._history = history
        self._now_s = recalled.at_s
        self._currency = recalled.currency
        self._keys = recalled.keys
        self._paid = recalled.paid
        self._sorted: dict[EntityKind, list[int]] | None = None
        self.events = history.events
        """How often it was ever seen; 1 when it is new."""
        self.first_s = history.first_s
        self.previous_s = history.previous_s
        """When it was last seen before this event."""

    def count(self, span_s: int) -> float:
        """How many events there were in the last so many seconds."""
        now_s = self._now_s
        return self._history.count(now_s - span_s, now_s)

    def total(self, span_s: int) -> float:
        """The sum of their amounts, in one currency."""
        now_s = self._now_s
        return self._history.total(now_s - span_s, now_s)

    def active_days(self) -> int:
        """On how many different days of the last month it was seen; a lower bound if busy."""
        return self._history.active_days(self._now_s)

    def distinct(self, kind: EntityKind, span_s: int) -> int:
        """With how many different entities of a kind it was seen; large numbers are cut off."""
        ordered = self._sorted
        if ordered is None:
            ordered = self._sorted = {}
        links = ordered.get(kind)
        if links is None:
            links = ordered[kind] = self._history.links_to(kind)
            links.sort()
        if not links:
            return 0
        # Links compare by time: those of a second lie below the least of the next one.
        now_s = self._now_s
        since = int(now_s - span_s) + 1 << TIME_SHIFT
        return bisect_left(links, int(now_s) + 1 << TIME_SHIFT) - bisect_left(links, since)

    def times_with(self, kind: EntityKind) -> int:
        """How often it was seen together with this event's entity of a kind; 1 when that is new."""
        key = self._keys.get(kind)
        return 0 if key is None else self._history.times_with(key)

    def previous_country(self) -> tuple[str, float] | None:
        """The country a user was last seen in before this event, and when."""
        history = self._history
        return history.previous_country if isinstance(history, UserHistory) else None

    def high_amounts(self) -> int:
        """How many of a user's amounts in the two weeks before were far above the usual ones."""
        history = self._history
        return history.high_before(self._now_s) if isinstance(history, UserHistory) else 0

    def usual_amounts(self) -> Sequence[float]:
        """Natural logarithms of earlier amounts in this event's currency, most recent last."""
        history = self._history
        if not isinstance(history, UserHistory) or history.amounts is None:
            return ()
        if history.paid_in != self._currency:
            return ()
        return history.amounts[:-1] if self._paid else history.amounts


class History:
    """What is known about everything an event touches."""

    __slots__ = (
        *("_amount", "_event", "_first_lists", "_last", "_reputations", "_views", "at_s"),
        *("counted", "currency", "first", "histories", "keys", "kinds", "paid", "ring", "stats"),
    )

    def __init__(
        self,
        event: KeyedEvent,
        reputations: ReputationStore,
        layout: EventLayout,
        histories: list[EntityHistory],
        *,
        counted: bool,
    ) -> None:
        """`histories` are those of the event's entities, in the order of its layout."""
        told = event.event
        self._event = event
        self._reputations = reputations
        self._views: dict[EntityKind, EntityView] = {}
        self._amount = told.amount or 0.0
        self.stats = event.stats
        self.at_s = told.at_s
        self.currency = told.currency
        self.counted = counted
        """Whether the event was new; False for a transaction that was recorded before."""
        self.keys = dict(zip(layout.kinds, layout.first(event.keys), strict=True))
        self.kinds = layout.remembered_kinds
        self.histories = histories
        """Those of the event's entities that have one; `kinds` are their kinds."""
        self._first_lists = layout.first_lists
        self.paid = counted and logarithm_of(told.amount) is not None
        self.first = self._last = dict(zip(self.kinds, histories, strict=True))
        if len(self._last) != len(histories):
            # Backwards, so that the first of several entities of one kind stays.
            self.first = dict(zip(reversed(self.kinds), reversed(histories), strict=True))
        self.ring: Ring | None = None
        """What the event's entities are linked with; None when nobody else is."""

    @property
    def events(self) -> int:
        """Events of the account so far, this one included."""
        return self.stats.events

    @property
    def users(self) -> int:
        """Different users of the account so far."""
        return self.stats.users

    def of(self, kind: EntityKind) -> EntityView | None:
        """The history of this event's entity of a kind, or None when it has none.

        Operators, countries, agents, browsers, systems and issuers are only counted and have none,
        nor have devices and categories.
        """
        found = self._views.get(kind)
        if found is None and kind in self.first:
            found = self._views[kind] = EntityView(self.first[kind], self)
        return found

    def lately(self, kind: EntityKind) -> EntityView | None:
        """The same when there was another event within a day; most are alone, and count nothing."""
        history = self.first.get(kind)
        if history is None:
            return None
        previous_s = history.previous_s
        return None if previous_s is None or self.at_s - previous_s > DAY_S else self.of(kind)

    def popularity(self, kind: EntityKind) -> int:
        """How often this event's entity of a kind was seen with any user; 0 for none."""
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
        return [EntityView(history, self) for each, history in found if each is kind]

    def usual_amounts(self) -> Spread | None:
        """How the account's amounts in this currency spread, when enough are known."""
        return self.stats.usual_amounts(self.currency)

    def reputation(self) -> dict[EntityKind, list[EntityReputation]]:
        """The reputation of every entity of the event that a label is known of."""
        return self._reputations.of(self._event) if self._reputations.labelled else {}

    def has_fraud(self, kind: EntityKind) -> bool:
        """Whether the event's entity of a kind is known for fraud, within the last month or so."""
        key = self.keys.get(kind) if self._reputations.labelled else None
        return key is not None and self._reputations.frauds_of(key, self.at_s) >= _A_FRAUD

    def latest_outcomes(self) -> float | None:
        """The share of frauds among the account's latest labels; None without any."""
        if not self._reputations.labelled:
            return None
        return self._reputations.latest_outcomes(self._event.event.account_id)

    def velocity(self) -> dict[str, list[float]]:
        """What rules can ask of the history, as `conditions.catalogue.VELOCITY` lays it out.

        By name, such as `velocity.card`, and only for groups that the event has an entity of; of
        several addresses the last one counts. Of a card's number and of the account behind it, the
        one that was seen more counts for each measure: either may be new to us.
        """
        last = self._last
        at_s, counted = self.at_s, self.counted
        event = VelocityEvent(at_s, self.keys, counted, self._amount, self.currency)
        found = {}
        for plan in PLANS:
            history = last.get(plan.kind)
            if history is None:
                continue
            # Many entities are new, and their lists hardly differ.
            is_first = counted and history.previous_s is None and history.first_s == at_s
            if is_first and history.refused is None:
                first = self._first_lists[plan.kind]
                found[plan.signal] = measured_first(plan, first, history)
            else:
                found[plan.signal] = measured(plan, history, event)
        account = self.first.get(kinds.CARD)
        if account is not last.get(kinds.CARD) and account is not None:
            of_account = measured(_OF_CARDS, account, event)
            found[_OF_CARDS.signal] = list(map(max, found[_OF_CARDS.signal], of_account))
        return found
