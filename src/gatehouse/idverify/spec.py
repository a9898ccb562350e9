"""ID Verify as it declares itself to the rest of the service."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from gatehouse.core.stages.signal import SignalInfo, Type, describe_signal, text_signals
from gatehouse.core.stages.stage import (
    Contacts,
    OperationSpec,
    Stage,
    StageOptions,
    StageRequest,
    StageResponse,
    StageSignals,
    StageSpec,
)
from gatehouse.idverify.explaining import EXPLANATION
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import (
    FEE_TYPE,
    NAME,
    IdVerifyResponse,
    NameResult,
    NameVerification,
    PayeeMatch,
    Result,
    VerificationLevel,
)
from gatehouse.idverify.source import IdentitySource

_TEXTS: Final = {
    "idverify.email": "cardHolderEmailAddressVerificationResults",
    "idverify.phone": "cardHolderPhoneNumberVerificationResults",
    "idverify.level": "verificationLevel",
    "idverify.payee": "payeeMatch",
    "idverify.name": "nameMatchDecision",
    "idverify.firstName": "firstNameAccountMatchDecision",
    "idverify.middleName": "middleNameAccountMatchDecision",
    "idverify.lastName": "lastNameAccountMatchDecision",
    "idverify.driverLicense": "DRIVERLICENSE",
    "idverify.passport": "PASSPORT",
    "idverify.nationalIdentity": "NATIONALIDENTITY",
    "idverify.tax": "TAX",
}


class IdVerifyParties(Protocol):
    """Whom ID Verify asks."""

    @property
    def identities(self) -> IdentitySource:
        """Knows the holders of cards."""


def _build(parties: IdVerifyParties, options: StageOptions) -> Stage:
    from gatehouse.idverify.stage import IdVerifyStage

    return IdVerifyStage(parties.identities, time_limit_ms=options.time_limit_ms)


def contacts_of(request: IdVerifyRequest) -> Contacts:
    """The contacts of a request, read once for all that needs them."""
    # The libraries for it take long to load, and only a server needs them.
    from gatehouse.idverify.contacts import read_contacts

    return read_contacts(request.card_holder_email_address, request.card_holder_phone_number)


def _read_signals(facts: Mapping[str, Any]) -> dict[str, Any]:
    names = facts.get("cardHolderNameVerificationResult") or {}
    identifiers = facts.get("idVerification") or {}
    return text_signals({**facts, **names, **identifiers}, _TEXTS)


def _compared(name: str, about: str, example: str) -> SignalInfo:
    values = tuple(each.value for each in Result)
    return describe_signal(f"idverify.{name}", Type.TEXT, about, f"'{example}'", values)


_SIGNALS: Final = (
    _compared("email", "How the e-mail address compares.", "NO_MATCH"),
    _compared("phone", "How the phone number compares.", "NO_MATCH"),
    _compared("name", "How the name as a whole compares.", "PARTIAL_MATCH"),
    _compared("firstName", "How the first name compares.", "NO_MATCH"),
    _compared("middleName", "How the middle name compares.", "NO_MATCH"),
    _compared("lastName", "How the last name compares.", "NO_MATCH"),
    _compared("driverLicense", "How the driving licence compares.", "MATCH"),
    _compared("passport", "How the passport compares.", "MATCH"),
    _compared("nationalIdentity", "How the identity card compares.", "MATCH"),
    _compared("tax", "How the tax number compares.", "MATCH"),
    describe_signal(
        "idverify.level",
        Type.TEXT,
        "How much was given to verify.",
        "'FULL'",
        tuple(each.value for each in VerificationLevel),
    ),
    describe_signal(
        "idverify.payee",
        Type.TEXT,
        "How the name of the payee compares, if one was sent.",
        "'NMTC'",
        tuple(each.value for each in PayeeMatch),
    ),
    describe_signal("idverify.completed", Type.BOOLEAN, "ID Verify ran to its end."),
)

ID_VERIFY: Final = StageSpec(
    name=NAME,
    fee_type=FEE_TYPE,
    default_fee_micros=100_000,
    place=40,
    build=_build,
    time_limit_setting="idverify_timeout_ms",
    request=StageRequest(
        type=IdVerifyRequest,
        field="idVerifyRequest",
        about="For IdVerify.",
        card=IdVerifyRequest.card,
        contacts=contacts_of,
    ),
    response=StageResponse(type=IdVerifyResponse, field="idVerifyResponse"),
    needs=("idVerifyRequest",),
    explanation=EXPLANATION,
    signals=StageSignals(prefix="idverify", catalogue=_SIGNALS, read=_read_signals),
    operation=OperationSpec(
        name="idverify",
        title="ID Verify",
        about=(
            "Compares a cardholder's name, e-mail address, phone number and government "
            "identifiers with what is on record for the card: one result per attribute, all of "
            "the same person. Results such as `NO_MATCH` come while `isSuccess` is true."
        ),
        request_type=IdVerifyRequest,
        response_type=IdVerifyResponse,
        example=IdVerifyResponse(
            card_holder_email_address_verification_results=Result.MATCH,
            card_holder_phone_number_verification_results=Result.MATCH,
            card_holder_name_verification_result=NameVerification(
                Result.MATCH, Result.MATCH, Result.MATCH, Result.MATCH, NameResult.PERFORMED
            ),
            id_verification={IdentifierType.PASSPORT: Result.MATCH},
            verification_level=VerificationLevel.FULL,
            payee_match=PayeeMatch.MATCH,
        ),
        mistaken={
            "cardNumber": "4242424242424242",
            "cardHolderName": {"firstName": "", "lastName": "Whitfield"},
            "cardHolderIds": {"SSN": "987-65-4329"},
        },
    ),
)
