"""What providers tell of payments by themselves: notifications, as connectors read them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Protocol, runtime_checkable

import msgspec


class NotifiedEvent(StrEnum):
    """What a provider tells of."""

    CAPTURED = "captured"
    CAPTURE_REFUSED = "capture_refused"
    REFUNDED = "refunded"
    REFUND_REFUSED = "refund_refused"
    VOIDED = "voided"
    VOID_REFUSED = "void_refused"
    EXPIRED = "expired"
    """An authorization that nobody captured in time, or what was left of it."""
    DISPUTED = "disputed"
    """A dispute was opened, went on or ended."""
    FRAUD_REPORTED = "fraud_reported"


# The words of outcomes, which are administered above this room.
NETWORKS: Final = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "OTHER")
STAGES: Final = ("INQUIRY", "FIRST", "REPRESENTED", "PRE_ARBITRATION", "ARBITRATION")
RESULTS: Final = ("WON", "LOST", "ACCEPTED", "WITHDRAWN", "RESOLVED_BEFORE")
ABOUT_OUTCOMES: Final = frozenset((NotifiedEvent.DISPUTED, NotifiedEvent.FRAUD_REPORTED))


class ProviderNotification(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"
):
    """The mapped fields of one notification; nothing else of it is kept."""

    event: NotifiedEvent
    name: str = ""
    """The same whenever the same thing is told."""
    at_ms: int | None = None
    """When it happened, as the provider says."""
    payment_id: str | None = None
    reference: str | None = None
    """Our name for the payment."""
    operation: str | None = None
    """Our name for the operation."""
    operation_id: str | None = None
    """The provider's."""
    amount_minor: int | None = None
    currency: str | None = None
    response_code: str | None = None
    case: str | None = None
    """The provider's name for a dispute or a report of fraud."""
    case_at_ms: int | None = None
    """When it was opened."""
    network: str | None = None
    reason: str | None = None
    stage: str | None = None
    result: str | None = None
    respond_by_ms: int | None = None


class NotificationRefused(Exception):
    """A notification that is not accepted."""

    def __init__(
        self, said: str, *, proved: bool, told: Sequence[ProviderNotification] = ()
    ) -> None:
        """`said` holds nothing of it; `proved`: it was signed, and the mapping cannot read it.

        What others in the same message told, as far as it can be read, is in `told`.
        """
        super().__init__(said)
        self.proved = proved
        self.told = told


class NotificationReader(Protocol):
    """Proves and reads what one provider sends."""

    def read(
        self, headers: Mapping[bytes, bytes], body: bytes, now_s: float
    ) -> list[ProviderNotification]:
        """What a message tells, none where it is of no concern; or `NotificationRefused`."""


@runtime_checkable
class NotifiedConnector(Protocol):
    """A connector whose party tells of payments by itself."""

    @property
    def notifications(self) -> NotificationReader | None:
        """Reads them; None where the mapping or the configuration has no part for it."""
