"""The value sets of PreCheck's answer, in the words of the API."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

NAME: Final = "PreCheck"
"""Of the stage, in answers and records."""
FEE_TYPE: Final = "PRECHECK"


class Advice(StrEnum):
    """What the caller is advised to do."""

    ACCEPT = "ACCEPT"
    DECLINE = "DECLINE"
    RETRY = "RETRY"
    FRAUD = "FRAUD"
    INPUT_ERROR = "INPUT_ERROR"


class AvsResult(StrEnum):
    """How the address compares with the issuer's."""

    FULL_MATCH = "FULL_MATCH"
    STREET_MATCH = "STREET_MATCH"
    POSTCODE_MATCH = "POSTCODE_MATCH"
    NO_MATCH = "NO_MATCH"
    UNVERIFIABLE = "UNVERIFIABLE"
    RETRY = "RETRY"
    NOT_PROVIDED = "NOT_PROVIDED"
    UNKNOWN = "UNKNOWN"


class Cvv2Result(StrEnum):
    """How the security code compares with the issuer's."""

    MATCH = "MATCH"
    NO_MATCH = "NO_MATCH"
    NOT_PROCESSED = "NOT_PROCESSED"
    NOT_PROVIDED = "NOT_PROVIDED"
    UNVERIFIABLE = "UNVERIFIABLE"
    UNKNOWN = "UNKNOWN"


class CardSummary(msgspec.Struct, frozen=True, rename="camel"):
    """What is known about the card and may be shown."""

    brand: Annotated[str | None, Meta(description="Card brand, null when it is none we know.")]
    country: Annotated[
        str | None, Meta(description="Issuer's country (ISO 3166-1 alpha-2), soft evidence.")
    ]
    funding: Annotated[str | None, Meta(description="CREDIT, DEBIT or CHARGE, soft evidence.")]
    prepaid: Annotated[bool | None, Meta(description="Whether the card is prepaid, if known.")]
    bin: Annotated[str, Meta(description="First eight digits, six of a number below 16 digits.")]
    last_four: Annotated[
        str | None, Meta(description="Last four digits, null for numbers below 14 digits.")
    ]


class PreCheckResponse(msgspec.Struct, frozen=True, rename="camel"):
    """PreCheck's answer."""

    advice: Annotated[Advice, Meta(description="Recommended action.")]
    avs_result: Annotated[AvsResult, Meta(description="Result of the address check.")]
    cvv2_result: Annotated[Cvv2Result, Meta(description="Result of the security code check.")]
    card: Annotated[CardSummary, Meta(description="Facts about the card.")]
    reasons: Annotated[list[str], Meta(description="Codes that say why the advice is what it is.")]
