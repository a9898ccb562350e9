"""What an account says about authentication, in the words of the API."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput
from gatehouse.core.filling import filled
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.authentication.table import Country, RiskBand, ScaRegime
from gatehouse.sentry.authentication.terms import (
    LARGEST_BAND,
    AuthenticationTerms,
    ExemptionPlacement,
)
from gatehouse.sentry.costs import WHOLE
from gatehouse.sentry.policy import LONGEST_KEY

_CONFIDENCE: Final = Phrase(
    "refused.sca_confidence",
    "{name} is a confidence from 0 to 1 with at most four decimals, such as 0.85",
)
_ORDER: Final = Phrase(
    "refused.sca_order", "declineBelow, challengeBelow and exemptFrom must not fall in this order"
)
_COUNTERS: Final = Phrase(
    "authentication.counters",
    "since the card was last authenticated, payments of at most {sum} together, or at most {count} "
    "of them, as this account has seen them",
)
_BAND: Final = Phrase(
    "authentication.band",
    "value of frauds / value of all payments of 90 days is at most {rate} %, and none of the six "
    "points was found",
)
_NEAR: Final = 1e-6

Confidence = Annotated[float, Meta(ge=0, le=1)]


class AuthenticationBody(CamelStruct):
    """What advice on authentication depends on."""

    acquirer_country: Annotated[
        Country, doc("Where your acquirer is; it says whose rules hold.", "DE")
    ]
    merchant_country: Annotated[
        Country | None, doc("Where you are, if that is another country.", "AT")
    ] = None
    tra_up_to: Annotated[
        int,
        doc(
            "Up to which amount your acquirer asks for the exemption by risk "
            "analysis, in units of the region's currency: a band of article 18, or 0 for never.",
            100,
            ge=0,
            le=LARGEST_BAND,
        ),
    ] = 0
    exempt_from: Annotated[Confidence, doc("The confidence from which a risk is low.", 0.85)] = 0.85
    challenge_below: Annotated[Confidence, doc("Below it a challenge is asked for.", 0.5)] = 0.5
    decline_below: Annotated[
        Confidence, doc("Below it not even a challenge is worth it.", 0.05)
    ] = 0.0
    low_value: Annotated[bool, doc("Whether article 16 is used.")] = True
    placement: Annotated[
        ExemptionPlacement | None,
        doc("Where exemptions are always asked for; without it, the advice says."),
    ] = None
    latest_protocol: Annotated[bool, doc("Whether your 3-D Secure server speaks version 2.3.")] = (
        False
    )
    three_ds_data: Annotated[bool, doc("Whether answers have `threeDSecureData`.")] = False
    ship_address_input: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)] | None,
        doc("The remembered key of `customInputs` with the shipping address.", "shippingAddress"),
    ] = None

    def terms(self) -> AuthenticationTerms:
        """The same as it is kept; `InvalidInput` for what cannot be."""
        decline = _share("declineBelow", self.decline_below)
        challenge = _share("challengeBelow", self.challenge_below)
        exempt = _share("exemptFrom", self.exempt_from)
        if not decline <= challenge <= exempt:
            raise InvalidInput(_ORDER())
        key = self.ship_address_input
        return filled(
            AuthenticationTerms,
            self,
            exempt_from=exempt,
            challenge_below=challenge,
            decline_below=decline,
            ship_address_input=None if key is None else recordable(key),
            measured=None,
        )

    @classmethod
    def of(cls, terms: AuthenticationTerms) -> "AuthenticationBody":
        """What is kept, as it was said."""
        return filled(
            cls,
            terms,
            exempt_from=terms.exempt_from / WHOLE,
            challenge_below=terms.challenge_below / WHOLE,
            decline_below=terms.decline_below / WHOLE,
        )


def _share(name: str, value: float) -> int:
    parts = round(value * WHOLE)
    if abs(parts - value * WHOLE) > _NEAR:
        raise InvalidInput(_CONFIDENCE(name=name))
    return parts


class LimitInForce(CamelStruct):
    """Up to which amount an exemption can be asked for, and on which condition."""

    article: Annotated[int, doc("16 for low values, 18 for risk analysis.")]
    up_to: Annotated[int, doc("The largest amount, in units.", 30)]
    currency: Annotated[str, doc("Of the amount.", "EUR")]
    formula: Annotated[str, doc("What must hold besides, in words.")]
    source: Annotated[
        str, doc("Where the figures are from; `default` was not compared with the text.")
    ]


def limits_in(regime: ScaRegime) -> list[LimitInForce]:
    """The limits of a region, each with its formula and source."""
    low, currency = regime.low_value, regime.currency
    counters = _COUNTERS(sum=f"{low.sum} {currency}", count=low.count)
    return [
        LimitInForce(16, low.amount, currency, counters, low.source),
        *(
            LimitInForce(18, band.up_to, currency, _BAND(rate=_percent(band)), band.source)
            for band in regime.bands
        ),
    ]


def _percent(band: RiskBand) -> str:
    return f"{band.reference_rate // 10_000}.{band.reference_rate % 10_000:04d}"


class AuthenticationShown(CamelStruct):
    """Whether an account asks for advice on authentication, and what it depends on."""

    settings: Annotated[AuthenticationBody | None, doc("Null where no advice is asked for.")]
    regime: Annotated[str | None, doc("Whose rules hold for the acquirer; null where none do.")]
    measured_at: Annotated[Moment | None, doc("The day that the kept rate of fraud ends with.")]
    limits: Annotated[list[LimitInForce], doc("The limits that hold for the acquirer.")] = []
    table_as_of: Annotated[str | None, doc("Day of the table of limits.")] = None
