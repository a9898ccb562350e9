"""What later rules can say about the stages that ran before: signals out of a stage's facts.

The facts are those of the decision record. A running pipeline and a backtest both come here, the
one with facts just made and the other with facts out of a record, so they cannot disagree.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

_ID_VERIFY: Final = {
    "idverify.email": "cardHolderEmailAddressVerificationResults",
    "idverify.phone": "cardHolderPhoneNumberVerificationResults",
    "idverify.level": "verificationLevel",
}
_NAMES: Final = {
    "idverify.name": "nameMatchDecision",
    "idverify.firstName": "firstNameAccountMatchDecision",
    "idverify.middleName": "middleNameAccountMatchDecision",
    "idverify.lastName": "lastNameAccountMatchDecision",
}
_IDENTIFIERS: Final = {
    "idverify.driverLicense": "DRIVERLICENSE",
    "idverify.passport": "PASSPORT",
    "idverify.nationalIdentity": "NATIONALIDENTITY",
    "idverify.tax": "TAX",
}
_PRE_CHECK: Final = {
    "precheck.advice": "advice",
    "precheck.avsResult": "avsResult",
    "precheck.cvv2Result": "cvv2Result",
}
_GATEWAY: Final = {"gateway.status": "status", "gateway.responseCode": "responseCode"}


def signals_of(stage: str, facts: Mapping[str, Any], completed: bool) -> dict[str, Any]:
    """The signals that a stage adds; none for a stage that has no signals."""
    found = _READERS.get(stage)
    if found is None:
        return {}
    group, read = found
    signals = read(facts)
    signals[f"{group}.completed"] = completed
    return signals


def rules_signals(status: str, matched: Iterable[str], completed: bool) -> dict[str, Any]:
    """The signals of the Rules stages so far: the strongest outcome and all that matched."""
    return {
        "rules.status": str(status),
        "rules.matched": list(matched),
        "rules.completed": completed,
    }


def _texts(facts: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, key in keys.items():
        value = facts.get(key)
        if value is not None:
            # Live facts hold members of enumerations, records their texts.
            found[name] = getattr(value, "_value_", value)
    return found


def _sentry(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "sentry.requestConfidence": facts.get("requestConfidence"),
        "sentry.ipScore": facts.get("ipScore"),
        "sentry.reasons": list(facts.get("reasons", ())),
    }


def _pre_check(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {**_texts(facts, _PRE_CHECK), "precheck.reasons": list(facts.get("reasons", ()))}


def _id_verify(facts: Mapping[str, Any]) -> dict[str, Any]:
    names = facts.get("cardHolderNameVerificationResult") or {}
    identifiers = facts.get("idVerification") or {}
    return {
        **_texts(facts, _ID_VERIFY),
        **_texts(names, _NAMES),
        **_texts(identifiers, _IDENTIFIERS),
    }


def _gateway(facts: Mapping[str, Any]) -> dict[str, Any]:
    return _texts(facts, _GATEWAY)


_READERS: Final[dict[str, tuple[str, Callable[[Mapping[str, Any]], dict[str, Any]]]]] = {
    "Sentry": ("sentry", _sentry),
    "PreCheck": ("precheck", _pre_check),
    "IdVerify": ("idverify", _id_verify),
    "Gateway": ("gateway", _gateway),
}
