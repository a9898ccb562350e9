"""What an account says about authentication; it is asked for advice by saying it."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.sentry.authentication.table import Country
from gatehouse.sentry.costs import Share
from gatehouse.sentry.policy import LONGEST_KEY

NAME: Final = "SentryAuthentication"
"""It is kept under this name beside an account's policies.

It is no part of Sentry's own policy, because servers of earlier versions refuse a policy with a
field that they do not know.
"""
LARGEST_BAND: Final = 1_000_000


class ExemptionPlacement(StrEnum):
    """Where an exemption is asked for."""

    AUTHENTICATION = "AUTHENTICATION"
    """With 3-D Secure: a refusal becomes a challenge without a second try."""
    AUTHORIZATION = "AUTHORIZATION"
    """With the payment: faster, and a refusal is a soft decline that needs a second try."""


class MeasuredFraudRate(msgspec.Struct, frozen=True):
    """What the account's own payments came to, as the meter last measured it."""

    as_of: str
    """The day, as in 2026-11-15."""
    fraud: Annotated[int, Meta(ge=0)]
    """Value of frauds, in millionths of the region's currency."""
    total: Annotated[int, Meta(ge=0)]
    stopped: tuple[int, ...] = ()
    """Bands whose reference rate was exceeded for two quarters running, by their amounts."""


class AuthenticationTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """An account's choices; without them nothing is worked out."""

    acquirer_country: Country
    """Where the acquirer is; it decides whose rules hold."""
    merchant_country: Country | None = None
    """Where the payee is; the acquirer's country without it."""
    tra_up_to: Annotated[int, Meta(ge=0, le=LARGEST_BAND)] = 0
    """Up to which amount the acquirer asks for the exemption by risk analysis; 0 for never."""
    exempt_from: Share = 8_500
    """The confidence from which the risk is low, in ten-thousandths."""
    challenge_below: Share = 5_000
    decline_below: Share = 0
    low_value: bool = True
    placement: ExemptionPlacement | None = None
    """Always there; None leaves it to the advice."""
    latest_protocol: bool = False
    """Whether the 3-D Secure server knows the challenge indicators of version 2.3."""
    three_ds_data: bool = False
    """Whether `threeDSecureData` is part of the answer."""
    ship_address_input: Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)] | None = None
    """The key of `customInputs` that holds the shipping address, if Sentry remembers one."""
    measured: MeasuredFraudRate | None = None

    @property
    def payee_country(self) -> str:
        """Where the payee is."""
        return self.merchant_country or self.acquirer_country
