"""Says in words how a person compared with the holder of the card."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.core.stage import StageExplanation, StageFinding
from gatehouse.idverify.response import Result

_COMPARED: Final = {
    "nameMatchDecision": "the name",
    "cardHolderEmailAddressVerificationResults": "the e-mail address",
    "cardHolderPhoneNumberVerificationResults": "the phone number",
    "PASSPORT": "the passport",
    "DRIVERLICENSE": "the driving licence",
    "NATIONALIDENTITY": "the identity card",
    "TAX": "the tax number",
}
_TEXTS: Final = {
    Result.MATCH: "matched",
    Result.PARTIAL_MATCH: "matched in part",
    Result.NO_MATCH: "did not match",
    Result.UNKNOWN: "could not be compared, because nothing is on record",
    Result.NOT_SUPPORTED: "cannot be compared with this source",
}
_ORDER: Final = (
    Result.NO_MATCH,
    Result.PARTIAL_MATCH,
    Result.UNKNOWN,
    Result.NOT_SUPPORTED,
    Result.MATCH,
)


def _findings(facts: Mapping[str, Any], _model: str | None) -> list[StageFinding]:
    names = facts.get("cardHolderNameVerificationResult") or {}
    every = {**facts, **names, **(facts.get("idVerification") or {})}
    said = []
    for result in _ORDER:
        things = [what for key, what in _COMPARED.items() if every.get(key) == result]
        if things:
            said.append(f"{', '.join(things)} {_TEXTS[result]}")
    compared = "; ".join(said) or "nothing could be compared"
    return [StageFinding(text=f"ID Verify compared the person with the card's holder: {compared}.")]


EXPLANATION: Final = StageExplanation(findings=_findings)
