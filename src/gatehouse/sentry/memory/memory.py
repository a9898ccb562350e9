"""What Sentry's memory is told: events, and the entities in them."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

import msgspec

MINUTE_S: Final = 60
HOUR_S: Final = 3600
DAY_S: Final = 86_400
WEEK_S: Final = 7 * DAY_S
MONTH_S: Final = 30 * DAY_S
CATEGORY: Final = "~"
"""What the value of a custom input opens with that was found to be a category."""


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
    AUTHENTICATION = 9
    """That 3-D Secure authenticated the cardholder; a card remembers when it last met this."""
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
    """A custom input that the account declared, or that was found; the value opens with its key."""
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
