"""The port to Sentry's memory: counts, sums, partners and habits, by entity and account.

One call both records an event and recalls the history of everything it touches, so that a memory
shared by several processes needs one round trip. Counts include the event itself. An event whose
transaction was recorded before is recalled, but not counted again.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

import msgspec

from gatehouse.sentry.reputation import EntityReputation

MINUTE_S: Final = 60
HOUR_S: Final = 3600
DAY_S: Final = 86_400
WEEK_S: Final = 7 * DAY_S
MONTH_S: Final = 30 * DAY_S


class EntityKind(IntEnum):
    """What kind of thing is remembered."""

    # Keys of the memory have five bits for the kind, so every member is below 31.
    # The hash of an enumeration's member is made in Python; kinds are looked up all the time.
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
    """A device on a network: one person at home, or one farm of machines."""
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
    """A mailbox; different spellings of one address are the same mailbox."""
    PHONE = 23
    ISSUER = 24
    """The country of the card's issuer."""
    ARTICLE = 25
    """An article at about its price."""
    SHELF = 26
    """A category of goods at about a price."""
    MIX = 27
    """All categories of a cart together, at about its total."""


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
    """The history of one entity, this event included."""

    @property
    def events(self) -> int:
        """How often it was ever seen; 1 when it is new."""

    @property
    def first_s(self) -> float:
        """When it was first seen."""

    @property
    def previous_s(self) -> float | None:
        """When it was last seen before this event."""

    def count(self, span_s: int) -> float:
        """How many events there were in the last so many seconds."""

    def total(self, span_s: int) -> float:
        """The sum of their amounts, in one currency."""

    def active_days(self) -> int:
        """On how many different days of the last month it was seen; a lower bound if busy."""

    def distinct(self, kind: EntityKind, span_s: int) -> int:
        """With how many different entities of a kind it was seen; large numbers are cut off."""

    def times_with(self, kind: EntityKind) -> int:
        """How often it was seen together with this event's entity of a kind; 1 when that is new."""

    def previous_country(self) -> tuple[str, float] | None:
        """The country a user was last seen in before this event, and when."""

    def high_amounts(self) -> int:
        """How many of a user's amounts in the two weeks before were far above the usual ones."""

    def usual_amounts(self) -> Sequence[float]:
        """Natural logarithms of earlier amounts in this event's currency, most recent last."""


class History(Protocol):
    """What is known about everything an event touches."""

    @property
    def counted(self) -> bool:
        """Whether the event was new; False for a transaction that was recorded before."""

    @property
    def events(self) -> int:
        """Events of the account so far, this one included."""

    @property
    def users(self) -> int:
        """Different users of the account so far."""

    def of(self, kind: EntityKind) -> EntityView | None:
        """The history of this event's entity of a kind, or None when it has none.

        Operators, countries, agents, browsers, systems and issuers are only counted and have none.
        """

    def popularity(self, kind: EntityKind) -> int:
        """How often this event's entity of a kind was seen with any user; 0 for none."""

    def all_of(self, kind: EntityKind) -> Sequence[EntityView]:
        """The histories of all the event's entities of a kind."""

    def usual_amounts(self) -> Spread | None:
        """How the account's amounts in this currency spread, when enough are known."""

    def reputation(self) -> dict[EntityKind, list[EntityReputation]]:
        """The reputation of every entity of the event that a label is known of."""

    def velocity(self) -> dict[str, list[float]]:
        """What rules can ask of the history, as `conditions.catalogue.VELOCITY` lays it out.

        By name, such as `velocity.card`, and only for groups that the event has an entity of; of
        several addresses the last one counts.
        """


class Memory(Protocol):
    """Records events and recalls their history."""

    async def record_and_recall(self, event: MemoryEvent) -> History:
        """Count an event, unless its transaction was counted before, and recall its history."""

    def retract(self, event: MemoryEvent) -> None:
        """Forget the counts of an event: it failed through no fault of the customer."""

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note an event's label in place of the previous one."""

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused, also of an event that does not count."""


class MemoryState(msgspec.Struct, frozen=True):
    """How full the memory is, for the operators of the service."""

    entities: int
    limit: int
    rebuilt: bool
    events: int
