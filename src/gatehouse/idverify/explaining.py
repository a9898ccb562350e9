"""Says in words how a person compared with the holder of the card."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.core.stages.stage import StageExplanation, StageFinding
from gatehouse.core.wording.sentences import Phrase, phrases_of, row
from gatehouse.idverify.response import PayeeMatch, Result

_COMPARED: Final = phrases_of(
    "idverify.compared",
    {
        "nameMatchDecision": "the name",
        "cardHolderEmailAddressVerificationResults": "the e-mail address",
        "cardHolderPhoneNumberVerificationResults": "the phone number",
        "PASSPORT": "the passport",
        "DRIVERLICENSE": "the driving licence",
        "NATIONALIDENTITY": "the identity card",
        "TAX": "the tax number",
        "payeeMatch": "the payee's name",
    },
)
_TEXTS: Final = phrases_of(
    "idverify.result",
    {
        Result.MATCH: "{things} matched",
        Result.PARTIAL_MATCH: "{things} matched in part",
        Result.NO_MATCH: "{things} did not match",
        Result.UNKNOWN: "{things} could not be compared, because nothing is on record",
        Result.NOT_SUPPORTED: "{things} cannot be compared with this source",
    },
)
_NOTHING: Final = Phrase("idverify.nothing", "nothing could be compared")
_SAID: Final = Phrase(
    "idverify.said", "ID Verify compared the person with the card's holder: {compared}."
)
_PAYEE: Final = {
    PayeeMatch.MATCH: Result.MATCH,
    PayeeMatch.CLOSE_MATCH: Result.PARTIAL_MATCH,
    PayeeMatch.NO_MATCH: Result.NO_MATCH,
    PayeeMatch.NOT_POSSIBLE: Result.UNKNOWN,
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
    every["payeeMatch"] = _PAYEE.get(facts.get("payeeMatch", ""))
    said = []
    for result in _ORDER:
        things = [what() for key, what in _COMPARED.items() if every.get(key) == result]
        if things:
            said.append(_TEXTS[result](things=row(things)))
    return [StageFinding(text=_SAID(compared=row(said, ";") if said else _NOTHING()))]


EXPLANATION: Final = StageExplanation(findings=_findings)
