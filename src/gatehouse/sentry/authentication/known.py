"""What is known of a payment when somebody asks whether its cardholder must be authenticated."""

from enum import StrEnum
from typing import NamedTuple, Self

import msgspec

from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.sentry.authentication.checklist import AnsweredPoint, RiskAnswer
from gatehouse.sentry.authentication.table import MILLION, ScaRegime


class PaymentScope(StrEnum):
    """Whether both legs of a payment are in one region that asks for authentication."""

    INSIDE = "INSIDE"
    ISSUER_UNKNOWN = "ISSUER_UNKNOWN"
    """The acquirer is inside, and nobody knows about the issuer: it is taken to be inside, too."""
    ISSUER_OUTSIDE = "ISSUER_OUTSIDE"
    ACQUIRER_OUTSIDE = "ACQUIRER_OUTSIDE"


class CardState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What this account has seen of a card since it was last authenticated, or ever."""

    count: int
    """Payments before this one."""
    sum: int | None = None
    """What they came to, in millionths of the region's currency; None where nobody can tell."""
    authenticated_s: int | None = None
    """When it was last authenticated; None when that was never seen."""


class BandLimit(NamedTuple):
    """Up to which amount which rate of fraud allows the exemption by risk analysis."""

    up_to: int
    """In units of the region's currency."""
    reference_rate: int
    """In millionths."""

    @property
    def micros(self) -> int:
        """The largest amount, in millionths."""
        return self.up_to * MICROS_PER_UNIT

    def allows(self, fraud: int, total: int) -> bool:
        """Whether so much fraud among so much in total is not above the reference rate."""
        return fraud * MILLION <= self.reference_rate * total


class AmountLimits(msgspec.Struct, frozen=True):
    """The limits that hold, in millionths of the region's currency."""

    regime: str
    currency: str
    low_amount: int
    low_sum: int
    low_count: int
    bands: tuple[BandLimit, ...]
    """The smallest first."""

    def band_of(self, micros: int) -> BandLimit | None:
        """The band that an amount falls into; None above all of them."""
        return next((band for band in self.bands if micros <= band.micros), None)

    @classmethod
    def of(cls, regime: ScaRegime) -> Self:
        """The limits of a region."""
        low = regime.low_value
        return cls(
            regime.name,
            regime.currency,
            low.amount * MICROS_PER_UNIT,
            low.sum * MICROS_PER_UNIT,
            low.count,
            tuple(BandLimit(band.up_to, band.reference_rate) for band in regime.bands),
        )


class AuthenticationFacts(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """All that the advice is a function of, besides what the account has chosen."""

    scope: PaymentScope
    confidence: int
    """Ten-thousandths."""
    checklist: tuple[AnsweredPoint, ...]
    limits: AmountLimits | None = None
    """None outside of all regions."""
    amount: int | None = None
    """In millionths of the region's currency; None without an amount or without a rate."""
    no_rate: bool = False
    """Whether there is an amount, in a currency without a rate."""
    card: CardState | None = None
    """None without a card, and when the memory did not answer."""
    issuer_country: str | None = None
    prepaid: bool = False
    merchant_initiated: bool = False
    recurring: bool = False
    """One of a series with the same amount and payee, which the payer started."""
    has_reference: bool = False
    """Whether the payment that was authenticated first is named."""
    authenticated: bool = False
    """Whether 3-D Secure authenticated this very payment already."""
    trusted: bool = False
    """Whether the payer put the merchant on the issuer's list."""
    corporate: bool = False
    """Whether it is paid by a secure process of a company, as with lodged and virtual cards."""
    mail_or_telephone: bool = False
    anonymous_card: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether all six points were answered, and nothing was found."""
        return all(each.answer is RiskAnswer.NOT_FOUND for each in self.checklist)
