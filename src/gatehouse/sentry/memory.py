"""The port to what was seen before: counts, sums, pairs, habits, by entity and account.

One call both notes an event and recalls the past of everything it touches, so that a server shared
by several processes needs one round trip. Counts include the event itself. An event whose
transaction was noted before is recalled, not counted again.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

import msgspec

from gatehouse.sentry.reputation import EntityReputation


class EntityKind(IntEnum):
    """What kind of thing is remembered."""

    # Keys of the memory have five bits for it, so all of them are below 31.
    # An enumeration hashes its members by name, in Python; these are looked up all the time.
    __hash__ = int.__hash__

    ADDRESS = 1
    NETWORK = 2
    OPERATOR = 3
    """The autonomous system an address belongs to."""
    COUNTRY = 4
    DEVICE = 5
    """User agent and languages together."""
    AGENT = 6
    """The user agent alone."""
    BROWSER = 7
    SYSTEM = 8
    PLACE = 10
    """A device on a network: what one person at home, or one farm of machines, looks like."""
    SESSION = 11
    USER = 12
    CARD = 13
    BIN = 14
    AFFILIATE = 15
    DISCOUNT = 17
    CATEGORY = 18
    CART = 19
    CUSTOM = 20
    """A custom input that the account declared to be an entity; the value opens with its key."""
    TRANSACTION = 21
    EMAIL = 22
    """A mailbox, however it is spelled."""
    PHONE = 23
    ISSUER = 24
    """The country of the card's issuer."""
    ARTICLE = 25
    """What is bought, at about its price."""
    SHELF = 26
    """A category of goods at about a price."""
    MIX = 27
    """All categories of a cart together, at about its total."""


class Window(IntEnum):
    """The spans of time that are looked back over."""

    MINUTE = 0
    HOUR = 1
    DAY = 2
    WEEK = 3
    MONTH = 4


WINDOW_S: Final = (60, 3600, 86_400, 7 * 86_400, 30 * 86_400)
"""Their lengths, by window."""

Entity = tuple[EntityKind, str]


class MemoryEvent(msgspec.Struct, frozen=True):
    """One event as the memory keeps it; the decision record holds the same, to rebuild from."""

    account_id: str
    at_s: float
    entities: Sequence[Entity]
    amount: float | None = None
    currency: str | None = None
    whereabouts: str | None = None
    """The country the user is in, when the address can be believed."""


class Spread(NamedTuple):
    """The middle of natural logarithms of amounts, and how far they usually are from it."""

    median: float
    deviation: float
    """Median absolute deviation."""
    amounts: int


class EntityView(Protocol):
    """The past of one entity, this event included."""

    @property
    def events(self) -> int:
        """How often it was ever seen; 1 when it is new."""

    @property
    def first_s(self) -> float:
        """When it was first seen."""

    @property
    def previous_s(self) -> float | None:
        """When it was last seen before this event."""

    def count(self, window: Window) -> float:
        """How many events there were in a window."""

    def total(self, window: Window) -> float:
        """What their amounts come to, in one currency."""

    def active_days(self) -> int:
        """On how many different days of the last month it was seen; of a busy one, at least."""

    def distinct(self, kind: EntityKind, window: Window) -> int:
        """With how many different entities of a kind it was seen; large numbers are cut off."""

    def times_with(self, kind: EntityKind) -> int:
        """How often it was seen together with this event's entity of a kind; 1 when that is new."""

    def pairs(self, kind: EntityKind) -> int:
        """With how many different entities of a kind it was ever seen."""

    def previous_country(self) -> tuple[str, float] | None:
        """The country it was last seen in before this event, and when; of users only."""

    def high_amounts(self) -> int:
        """How many amounts of the two weeks before were far above its usual ones; of users only."""

    def usual_amounts(self) -> Sequence[float]:
        """Natural logarithms of earlier amounts in this event's currency, most recent last."""


class History(Protocol):
    """What is known about everything an event touches."""

    @property
    def counted(self) -> bool:
        """Whether the event was new; False for a transaction that was noted before."""

    @property
    def events(self) -> int:
        """Events of the account so far, this one included."""

    @property
    def users(self) -> int:
        """Different users of the account so far."""

    def of(self, kind: EntityKind) -> EntityView | None:
        """The past of this event's entity of a kind, or None when it has none.

        Operators, countries, agents, browsers, systems and issuers are merely counted and have
        none.
        """

    def popularity(self, kind: EntityKind) -> int:
        """How often this event's entity of a kind was seen, whoever came with it; 0 for none."""

    def all_of(self, kind: EntityKind) -> Sequence[EntityView]:
        """The same where an event can have several."""

    def usual_amounts(self) -> Spread | None:
        """How the account's amounts in this currency spread, when enough are known."""

    def reputation(self) -> dict[EntityKind, list[EntityReputation]]:
        """How everything the event touches stands, as far as anything was said about it."""

    def velocity(self) -> dict[str, list[float]]:
        """What rules can ask of the past, as `conditions.catalogue.VELOCITY` lays it out.

        By name, such as `velocity.card`, and only for groups that the event has an entity of; of
        several addresses the last one counts.
        """


class Memory(Protocol):
    """Notes events and recalls the past."""

    async def record_and_recall(self, event: MemoryEvent) -> History:
        """Note an event, unless its transaction was noted before, and recall what it touches."""

    def retract(self, event: MemoryEvent) -> None:
        """Forget the counts of an event: it failed through no fault of the customer."""

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note what an event turned out to be, instead of what was known of it before."""

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused, whether the event counts or not."""


class MemoryState(msgspec.Struct, frozen=True):
    """How the memory is, for those who look after the service."""

    entities: int
    limit: int
    rebuilt: bool
    events: int
