"""The port to Sentry's memory: counts, sums, partners and habits, by entity and account.

One call both records an event and recalls the history of everything it touches, so that a memory
shared by several processes needs one round trip. Counts include the event itself. An event whose
transaction was recorded before is recalled, but not counted again.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import msgspec

if TYPE_CHECKING:
    from gatehouse.sentry.recalled import History

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
    SMALL = 28
    """All orders of a small amount in one currency: a shop has few of them, or always many."""
    DEVICE_ID = 29
    """A device by the identifier that the merchant's page gave it."""


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
    request_id: str = ""
    """The request that it is of: by this a shared memory knows what it was told before."""


class Spread(NamedTuple):
    """The middle of natural logarithms of amounts, and how far they usually are from it."""

    median: float
    deviation: float
    """Median absolute deviation."""
    amounts: int


class Memory(Protocol):
    """Records events and recalls their history."""

    async def record_and_recall(self, event: MemoryEvent) -> "History":
        """Count an event, unless its transaction was counted before, and recall its history."""

    def retract(self, event: MemoryEvent) -> None:
        """Forget the counts of an event: it failed through no fault of the customer."""

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note an event's label in place of the previous one."""

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused, also of an event that does not count."""


class ServerMemory(Memory, Protocol):
    """What a server needs of its memory beside its requests."""

    rebuilt: bool
    """Whether events from before this process are known, too."""

    def note(self, event: MemoryEvent) -> object:
        """Count an event, unless it was counted before."""

    def forget(self, event: MemoryEvent, *, counted: bool, declined: bool) -> bool:
        """Forget an event whose person was erased; whether a label of it is to be taken back."""

    def state(self) -> "MemoryState":
        """How full it is."""


class SharedLog(ServerMemory, Protocol):
    """A memory outside of the process, which acknowledges what it was told."""

    def take_back(self, event: MemoryEvent) -> None:
        """Forget an event if its request has counted it, although nobody heard that it did.

        However often it is told: a server may have told it before.
        """

    async def flush(self) -> None:
        """Wait until all that was told before has arrived; `ConnectorFailed` when it cannot."""


class MemoryState(msgspec.Struct, frozen=True):
    """How full the memory is, for the operators of the service."""

    entities: int
    limit: int
    rebuilt: bool
    events: int
    is_shared: bool = False
    """Whether other servers use the same memory."""
    is_away: bool = False
    """Whether it does not answer."""
    is_being_rebuilt: bool = False
    """Whether somebody fills a memory that is not whole."""
