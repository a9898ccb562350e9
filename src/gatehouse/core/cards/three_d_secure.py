"""What 3-D Secure found before a payment: read, checked for contradictions, and kept in part.

The words are those of EMV 3-D Secure. The authentication value proves the result to the issuer; it
goes to the gateway and is never kept.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

import msgspec

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Secret
from gatehouse.core.wording.sentences import Phrase, described

# 20 bytes in Base64.
_VALUE: Final = re.compile(r"[A-Za-z0-9+/]{27}=")
_UUID: Final = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"
_UUID_FORM: Final = Phrase(
    "invalid.uuid_form", "a UUID such as f38e6948-5388-41a6-bca4-b49723c19437"
)
_CRYPTOGRAM: Final = Phrase("invalid.cryptogram", "must be 28 characters: 20 bytes in Base64")
_EMPTY: Final = Phrase(
    "invalid.3ds_empty", "must have at least one of version, eci, status and exemption"
)
_SECOND: Final = Phrase("invalid.3ds_second", "needs 3-D Secure 2, but version is 1.0.2")
_INFORMATION: Final = Phrase(
    "invalid.3ds_information", "I needs version 2.2.0 or later, but version is {version}"
)
_NO_VALUE: Final = Phrase("invalid.3ds_no_value", "cannot be there: status is {status}")
_WAS_PROVEN: Final = Phrase(
    "invalid.3ds_proven",
    "{eci} says that the cardholder was authenticated, but status is {status}",
)
_WAS_TRIED: Final = Phrase(
    "invalid.3ds_tried", "01 says that authentication was only attempted, but status is Y"
)
_WAS_NOT: Final = Phrase(
    "invalid.3ds_not",
    "00 says that the cardholder was not authenticated, but status is {status}",
)


class ThreeDSVersion(StrEnum):
    """The version of the protocol."""

    V1_0_2 = "1.0.2"
    V2_1_0 = "2.1.0"
    V2_2_0 = "2.2.0"
    V2_3_1 = "2.3.1"


class Eci(StrEnum):
    """The electronic commerce indicator; 00 to 04 are Mastercard's, 05 the other networks'."""

    NOT_AUTHENTICATED_MASTERCARD = "00"
    ATTEMPTED_MASTERCARD = "01"
    AUTHENTICATED_MASTERCARD = "02"
    RESERVED = "03"
    DATA_ONLY_MASTERCARD = "04"
    AUTHENTICATED = "05"
    ATTEMPTED = "06"
    NOT_AUTHENTICATED = "07"


class ThreeDSStatus(StrEnum):
    """The result of the authentication, `transStatus`."""

    AUTHENTICATED = "Y"
    ATTEMPTED = "A"
    NOT_AUTHENTICATED = "N"
    UNAVAILABLE = "U"
    REJECTED = "R"
    CHALLENGE = "C"
    INFORMATIONAL = "I"


class ScaExemption(StrEnum):
    """Why strong customer authentication is not needed (PSD2)."""

    LOW_VALUE = "LOW_VALUE"
    TRANSACTION_RISK_ANALYSIS = "TRANSACTION_RISK_ANALYSIS"
    TRUSTED_BENEFICIARY = "TRUSTED_BENEFICIARY"
    SECURE_CORPORATE_PAYMENT = "SECURE_CORPORATE_PAYMENT"
    RECURRING = "RECURRING"
    MERCHANT_INITIATED = "MERCHANT_INITIATED"


_PROVEN: Final = (Eci.AUTHENTICATED_MASTERCARD, Eci.AUTHENTICATED)
_LATER_STATUS: Final = (ThreeDSStatus.REJECTED, ThreeDSStatus.CHALLENGE)
"""Words of 3-D Secure 2, with which there is no authentication value."""
_BEFORE_I: Final = (ThreeDSVersion.V1_0_2, ThreeDSVersion.V2_1_0)


class AuthenticationValue(Secret):
    """The cryptogram of an authentication (CAVV, AAV): used once, never kept in any form."""

    __slots__ = ()
    schema: ClassVar = {"type": "string", "pattern": "^[A-Za-z0-9+/]{27}=$"}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept 20 bytes in Base64."""
        if _VALUE.fullmatch(text) is None:
            raise ValueError(_CRYPTOGRAM())
        return cls._wrap(text)


class ThreeDSecure(Checked, CamelStruct):
    """What 3-D Secure found for this payment, or why it was not needed."""

    version: Annotated[ThreeDSVersion | None, doc("Version of the protocol.", "2.2.0")] = None
    eci: Annotated[
        Eci | None,
        doc(
            "Electronic commerce indicator: `05` (Mastercard `02`) says that the "
            "cardholder was authenticated, `06` (`01`) that it was attempted.",
            "05",
        ),
    ] = None
    status: Annotated[
        ThreeDSStatus | None,
        doc(
            "`transStatus`: `Y` authenticated, `A` attempted, `N` not authenticated, "
            "`U` could not be done, `R` rejected by the issuer, `C` challenge not over yet, `I` "
            "for information only.",
            "Y",
        ),
    ] = None
    exemption: Annotated[
        ScaExemption | None,
        doc("Why strong customer authentication is not needed, if that is claimed."),
    ] = None
    authentication_value: Annotated[
        AuthenticationValue | None,
        doc("CAVV or AAV, 20 bytes in Base64. It goes to the payment gateway and is never kept."),
    ] = None
    ds_transaction_id: Annotated[
        Annotated[str, described(_UUID_FORM, pattern=_UUID)] | None,
        doc(
            "The name of the authentication at the directory server, a UUID. It goes "
            "to the payment gateway and is not kept."
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What contradicts itself. What networks allow somewhere is not refused."""
        if (self.version, self.eci, self.status, self.exemption) == (None, None, None, None):
            yield "", _EMPTY()
        version, status, eci = self.version, self.status, self.eci
        if version is ThreeDSVersion.V1_0_2:
            if status in _LATER_STATUS:
                yield "status", _SECOND()
            if isinstance(self.exemption, ScaExemption):
                yield "exemption", _SECOND()
            if isinstance(self.ds_transaction_id, str):
                yield "dsTransactionId", _SECOND()
        if status is ThreeDSStatus.INFORMATIONAL and version in _BEFORE_I:
            yield "status", _INFORMATION(version=version)
        if isinstance(status, ThreeDSStatus) and isinstance(eci, Eci):
            problem = _eci_problem(eci, status)
            if problem is not None:
                yield "eci", problem
        if status in _LATER_STATUS and isinstance(self.authentication_value, AuthenticationValue):
            yield "authenticationValue", _NO_VALUE(status=status)

    @property
    def is_authenticated(self) -> bool:
        """Whether the cardholder was authenticated."""
        if self.status is None:
            return self.eci in _PROVEN
        return self.status is ThreeDSStatus.AUTHENTICATED

    @property
    def is_over(self) -> bool:
        """Whether a payment can follow; not while the cardholder is being challenged."""
        return self.status is not ThreeDSStatus.CHALLENGE

    def agrees_with(self, other: "ThreeDSecure") -> bool:
        """Whether both tell the same, as far as both tell it."""
        return all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in zip(
                msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True
            )
        )


def _eci_problem(eci: Eci, status: ThreeDSStatus) -> str | None:
    authenticated = status is ThreeDSStatus.AUTHENTICATED
    if eci in _PROVEN and not authenticated:
        return _WAS_PROVEN(eci=eci, status=status)
    if eci is Eci.ATTEMPTED_MASTERCARD and authenticated:
        return _WAS_TRIED()
    tried = (ThreeDSStatus.AUTHENTICATED, ThreeDSStatus.ATTEMPTED)
    if eci is Eci.NOT_AUTHENTICATED_MASTERCARD and status in tried:
        return _WAS_NOT(status=status)
    return None


ThreeDSecureField = Annotated[
    ThreeDSecure | None, doc("What 3-D Secure found for this payment, or why it was not needed.")
]
