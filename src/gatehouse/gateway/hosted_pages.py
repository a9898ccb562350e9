"""The port to a party that shows a payment page of its own, so that no card number comes to us.

The page is made for one amount, and a person pays on it. The party is asked again and again how it
stands.
"""

from enum import StrEnum
from typing import Protocol, runtime_checkable

import msgspec

from gatehouse.core.money import Payment


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


class MadePage(msgspec.Struct, frozen=True):
    """A page that a person can open."""

    url: str
    page_id: str | None = None
    """The party's name for it."""


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


@runtime_checkable
class HostedPages(Protocol):
    """A party that shows payment pages. Each call raises `ConnectorFailed` when it fails."""

    async def make(self, wanted: WantedPage) -> MadePage:
        """Make a page."""

    async def find(self, enquiry: PageEnquiry) -> FoundPage:
        """Ask how a page stands."""


@runtime_checkable
class PageConnector(Protocol):
    """A connector that may offer pages."""

    @property
    def pages(self) -> HostedPages | None:
        """For top-ups."""
