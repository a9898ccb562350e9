"""The port to the party that collects the money: a payment gateway, a processor or an acquirer."""

from collections.abc import Awaitable, Callable
from typing import Protocol, runtime_checkable

import msgspec

from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.secrets.credentials import AccountReference, CredentialType
from gatehouse.core.secrets.hidden import Personal
from gatehouse.gateway.stored_credential import StoredCredential


class GatewayInput(Personal, frozen=True):
    """The payment and the card that pays."""

    payment: Payment
    number: CardNumber
    expiry: ExpiryDate
    security_code: SecurityCode | None = None
    postal_code: str | None = None
    street: str | None = None
    city: str | None = None
    country: str | None = None
    account_reference: AccountReference | None = None
    """Of the account behind the number (PAR)."""
    credential_type: CredentialType | None = None
    three_d_secure: ThreeDSecure | None = None
    """With the authentication value, which must not be kept anywhere."""
    stored_credential: StoredCredential | None = None
    """With the network's id of the earlier payment, wherever that came from."""


class Authorization(GatewayInput, frozen=True, kw_only=True):
    """What the gateway is asked to authorize. It holds secrets: it goes there and nowhere else."""

    request_id: str
    """The reference of the payment at the gateway."""
    account_id: str
    redirect: Callable[[str], Awaitable[None]] | None = None
    """Stores another `reference` of the payment, durably: a gateway that turns to another party
    after nothing was sent to the first must have that stored before it sends anything there.
    None: nothing is stored about this payment."""


class GatewayAnswer(msgspec.Struct, frozen=True):
    """What the gateway says."""

    approved: bool
    response_code: str
    """Its own code for why, such as ISO 8583 field 39."""
    approval_code: str | None = None
    reference: str | None = None
    """How the gateway finds the payment from now on; None: by what `refer` said."""
    payment_id: str | None = None
    """The party's own name for the payment, with which a merchant captures or refunds it there."""
    party: str | None = None
    """Who answered: the name of a connector."""
    network_transaction_id: str | None = None
    """The network's name for the payment, by which later ones with the stored card refer to it."""


class Reversal(msgspec.Struct, frozen=True):
    """A payment that must not stand."""

    request_id: str
    """The reference that its authorization had, if it ever arrived."""
    payment: Payment
    account_id: str


class PaymentGateway(Protocol):
    """Authorizes payments, and takes back those whose end is not known.

    Both raise `ConnectorFailed` when they cannot tell. Nothing is ever authorized twice: when an
    authorization fails or is late, its payment is reversed. The order in which the two arrive is
    not certain, so an authorization whose reference was reversed must never be approved later.
    """

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Ask for one payment. The call is cancelled when its time is up."""

    async def reverse(self, reversal: Reversal) -> None:
        """Return when the payment is known not to stand, also when it was never heard of.

        It may be asked more than once about the same payment.
        """


@runtime_checkable
class ReferringGateway(PaymentGateway, Protocol):
    """A gateway that needs more than the request id to find a payment."""

    def refer(self, authorization: Authorization) -> str | None:
        """What a reversal has to know about a payment besides its request id, if anything.

        It becomes the payment's `reference` and is stored before the payment is sent, so it must
        hold no secret. `authorize` and `reverse` are given it back.
        """


class NoGateway:
    """Stands where no gateway is configured. Pipelines do without Gateway there."""

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Fail, as a gateway that cannot be reached."""
        raise ConnectorFailed("no payment gateway is configured", sent=False)

    async def reverse(self, reversal: Reversal) -> None:
        """Fail: only the gateway that was configured before knows whether the payment stands."""
        raise ConnectorFailed("no payment gateway is configured")
