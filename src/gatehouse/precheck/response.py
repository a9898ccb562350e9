"""The value sets of PreCheck's answer, in the words of the API."""

from enum import StrEnum
from typing import Annotated, Final

from gatehouse.core.api_values import CamelStruct, doc

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


class CardSummary(CamelStruct):
    """What is known about the card and may be shown."""

    brand: Annotated[str | None, doc("Card brand, null when it is none we know.")]
    country: Annotated[str | None, doc("Issuer's country (ISO 3166-1 alpha-2), soft evidence.")]
    funding: Annotated[str | None, doc("CREDIT, DEBIT or CHARGE, soft evidence.")]
    prepaid: Annotated[bool | None, doc("Whether the card is prepaid, if known.")]
    bin: Annotated[str, doc("First eight digits, six of a number below 16 digits.")]
    last_four: Annotated[str | None, doc("Last four digits, null for numbers below 14 digits.")]


class PreCheckResponse(CamelStruct):
    """PreCheck's answer."""

    advice: Annotated[Advice, doc("Recommended action.")]
    avs_result: Annotated[AvsResult, doc("Result of the address check.")]
    cvv2_result: Annotated[Cvv2Result, doc("Result of the security code check.")]
    card: Annotated[CardSummary, doc("Facts about the card.")]
    reasons: Annotated[list[str], doc("Codes that say why the advice is what it is.")]
