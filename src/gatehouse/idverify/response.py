"""The response of ID Verify."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.idverify.people import IdentifierType

NAME: Final = "IdVerify"
"""Of the stage, in answers and records."""
FEE_TYPE: Final = "ID_VERIFY"


class Result(StrEnum):
    """What the comparison of one attribute came to."""

    MATCH = "MATCH"
    PARTIAL_MATCH = "PARTIAL_MATCH"
    NO_MATCH = "NO_MATCH"
    NOT_PROCESSED = "NOT_PROCESSED"
    NOT_SUPPORTED = "NOT_SUPPORTED"
    UNKNOWN = "UNKNOWN"


class NameResult(StrEnum):
    """Whether names were compared at all."""

    PERFORMED = "PERFORMED"
    NOT_PERFORMED = "NOT_PERFORMED"
    NOT_SUPPORTED = "NOT_SUPPORTED"


class VerificationLevel(StrEnum):
    """How much was given to verify."""

    MINIMAL = "MINIMAL"
    PARTIAL = "PARTIAL"
    FULL = "FULL"


class PayeeMatch(StrEnum):
    """The results of a verification of payee, as banks exchange them."""

    MATCH = "MTCH"
    CLOSE_MATCH = "CMTC"
    NO_MATCH = "NMTC"
    NOT_POSSIBLE = "NOAP"


class Why(StrEnum):
    """Why a comparison came out as it did; kept in the decision record, never answered."""

    EXACT = "exact"
    NICKNAME = "nickname"
    INITIAL = "initial"
    TYPO = "typo"
    TRANSLITERATION = "transliteration"
    ORDER = "order"
    SUBSET = "subset"
    DIFFERENT = "different"


class NameVerification(CamelStruct):
    """The results of comparing a name."""

    first_name_account_match_decision: Annotated[Result, doc("The first name.")]
    middle_name_account_match_decision: Annotated[Result, doc("The middle name.")]
    last_name_account_match_decision: Annotated[Result, doc("The last name.")]
    name_match_decision: Annotated[Result, doc("The name as a whole.")]
    name_result: Annotated[NameResult, doc("Whether names were compared.")]


class IdVerifyResponse(CamelStruct, kw_only=True):
    """What ID Verify answers: one result for each attribute, of the best single person."""

    card_holder_email_address_verification_results: Annotated[Result, doc("The e-mail address.")]
    card_holder_phone_number_verification_results: Annotated[Result, doc("The phone number.")]
    card_holder_name_verification_result: Annotated[
        NameVerification | msgspec.UnsetType, doc("Present when a name was sent.")
    ] = msgspec.UNSET
    id_verification: Annotated[
        dict[IdentifierType, Result], doc("One result for each identifier that was sent.")
    ]
    verification_level: Annotated[VerificationLevel, doc("How much was given to verify.")]
    payee_match: Annotated[
        PayeeMatch | msgspec.UnsetType,
        doc(
            "Present when `payeeName` was sent: `MTCH` it is the name of a holder, "
            "`CMTC` it comes close, `NMTC` it is another name, `NOAP` it could not be compared."
        ),
    ] = msgspec.UNSET
