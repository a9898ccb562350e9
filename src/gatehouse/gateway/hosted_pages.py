"""The port to a party that shows a payment page of its own, so that no card number comes to us.

The page is made for one amount, and a person pays on it. The party is asked again and again how it
stands. It may store the card that paid, and charge it again when it is told its own name for it.
"""

from enum import StrEnum
from typing import Final, Protocol, Self, runtime_checkable

import msgspec

from gatehouse.core.money import Payment
from gatehouse.core.secrets.hidden import Secret
from gatehouse.gateway.operating import OperationAnswer
from gatehouse.gateway.stored_credential import (
    CredentialKind,
    CredentialReason,
    CredentialUse,
    Initiator,
)

_SHOWN_OF_ID: Final = 4


class StoredCardUse(msgspec.Struct, frozen=True):
    """Who initiates a payment with a card that the party itself keeps, and why."""

    initiator: Initiator
    use: CredentialUse
    reason: CredentialReason
    kind: CredentialKind


STORING: Final = StoredCardUse(
    Initiator.CUSTOMER,
    CredentialUse.FIRST,
    CredentialReason.UNSCHEDULED,
    CredentialKind.FIRST_UNSCHEDULED,
)
"""A person pays, and agrees that the card is charged again when it is needed."""
CHARGING: Final = StoredCardUse(
    Initiator.MERCHANT,
    CredentialUse.LATER,
    CredentialReason.UNSCHEDULED,
    CredentialKind.MERCHANT_UNSCHEDULED,
)
"""The stored card is charged, and nobody is there."""


class PageState(StrEnum):
    """How a page stands, as the party says."""

    OPEN = "open"
    PAID = "paid"
    REFUSED = "refused"
    EXPIRED = "expired"


class WantedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page to be made."""

    reference: str
    """Our name for the payment; a page is made once for it, however often it is asked for."""
    account_id: str
    payment: Payment
    expires_at_ms: int
    return_url: str | None = None
    """Where the party leads the person afterwards."""
    stored_credential: StoredCardUse | None = None
    """`STORING` where the card is to be stored."""


class MadePage(msgspec.Struct, frozen=True):
    """A page that a person can open."""

    url: str
    page_id: str | None = None
    """The party's name for it."""


class StoredCardId(Secret):
    """The party's name for a stored card: together with our credentials, it takes money."""

    __slots__ = ()

    @classmethod
    def of(cls, name: str) -> Self:
        """As the party gave it."""
        return cls._wrap(name)

    @property
    def end(self) -> str:
        """Its last characters, if it is long enough to have some that tell nothing."""
        return self._value[-_SHOWN_OF_ID:] if len(self._value) >= 4 * _SHOWN_OF_ID else ""


class StoredCardCharge(msgspec.Struct, frozen=True, kw_only=True):
    """A charge of a stored card."""

    reference: str
    """Our name for the payment; nothing is charged twice for it."""
    account_id: str
    payment: Payment
    card: StoredCardId
    stored_credential: StoredCardUse = CHARGING


class PageEnquiry(msgspec.Struct, frozen=True, kw_only=True):
    """A page to ask about."""

    reference: str
    account_id: str
    payment: Payment
    page_id: str | None = None


class FoundPage(msgspec.Struct, frozen=True):
    """What the party says about a page."""

    state: PageState
    amount_minor: int | None = None
    """What was paid, once it is."""
    currency: str | None = None
    card: StoredCardId | None = None
    """The card that paid, if it was stored."""


@runtime_checkable
class HostedPages(Protocol):
    """A party that shows payment pages. Each call raises `ConnectorFailed` when it fails."""

    async def make(self, wanted: WantedPage) -> MadePage:
        """Make a page."""

    async def find(self, enquiry: PageEnquiry) -> FoundPage:
        """Ask how a page stands."""

    async def charge(self, wanted: StoredCardCharge) -> OperationAnswer:
        """Charge a stored card, once for its reference, however often it is asked for."""


@runtime_checkable
class PageConnector(Protocol):
    """A connector that may offer pages."""

    @property
    def pages(self) -> HostedPages | None:
        """For top-ups."""
