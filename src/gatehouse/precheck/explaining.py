"""Says in words what PreCheck found about a card, and what would have changed its advice."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.stage import ResultChange, StageExplanation, StageFinding
from gatehouse.core.wording.sentences import Phrase, all_of, phrases_of
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result

_APPROVED: Final = "approved"
_REASONS: Final = phrases_of(
    "precheck.reason",
    {
        _APPROVED: "the issuer approved the card",
        "issuer_error": "the issuer reported an error of its own",
        "try_again": "the issuer asked to try again",
        "issuer_late": "the issuer's answer came too late",
        "issuer_unavailable": "the issuer could not be reached",
        "issuer_unreachable": "the issuer could not be reached",
        "pick_up_card": "the issuer wants the card to be withdrawn",
        "suspected_fraud": "the issuer suspects fraud",
        "lost_card": "the card was reported lost",
        "stolen_card": "the card was reported stolen",
        "invalid_transaction": "the issuer found the request invalid",
        "invalid_amount": "the issuer found the amount invalid",
        "unknown_card_number": "the issuer does not know the card number",
        "no_such_issuer": "no issuer has this card number",
        "format_error": "the issuer could not read the request",
        "expired_at_issuer": "the card has expired at its issuer",
        "wrong_pin": "the PIN was wrong",
        "security_code_invalid": "the issuer found the security code invalid",
        "do_not_honor": "the issuer declined the card without saying why",
        "issuer_declined": "the issuer declined the card",
        "insufficient_funds": "the funds do not suffice",
        "not_permitted": "the issuer does not permit this kind of payment",
        "over_limit": "the card is over its limit",
        "restricted_card": "the card is restricted",
        "over_frequency": "the card was used too often",
        "card_expired": (
            "the expiry date that was sent has passed, so that the issuer was not asked"
        ),
        "test_card": "the number is published for tests, so that the issuer was not asked",
        "too_many_wrong_codes": "too many wrong security codes were sent for this card before",
        "too_many_at_once": "too many requests about this card were open at once",
    },
)
_AVS: Final = phrases_of(
    "precheck.avs",
    {
        AvsResult.FULL_MATCH: "the address matched",
        AvsResult.STREET_MATCH: "the street matched, the postal code did not",
        AvsResult.POSTCODE_MATCH: "the postal code matched, the street did not",
        AvsResult.NO_MATCH: "the address did not match",
        AvsResult.UNVERIFIABLE: "the address could not be verified",
        AvsResult.RETRY: "the address could not be verified at that moment",
        AvsResult.NOT_PROVIDED: "no address was sent",
        AvsResult.UNKNOWN: "the issuer's answer about the address is not known",
    },
)
_CVV2: Final = phrases_of(
    "precheck.cvv2",
    {
        Cvv2Result.MATCH: "the security code matched",
        Cvv2Result.NO_MATCH: "the security code did not match",
        Cvv2Result.NOT_PROCESSED: "the security code was not checked",
        Cvv2Result.NOT_PROVIDED: "no security code was sent",
        Cvv2Result.UNVERIFIABLE: "the security code could not be verified",
        Cvv2Result.UNKNOWN: "the issuer's answer about the security code is not known",
    },
)
_OTHER_REASON: Final = Phrase("precheck.other_reason", "the reason was {reason}")
_NO_REASON: Final = Phrase("precheck.no_reason", "it did not say why")
_ADVICE: Final = phrases_of("precheck.advice", {each: each.value for each in Advice})
_ADVISED: Final = Phrase("precheck.advised", "PreCheck advised {advice}: {why}.")
_CHECKED: Final = Phrase("precheck.checked", "{avs}. {cvv2}.")
_CODE_MATCHED: Final = Phrase("precheck.had.code_matched", "the security code had matched")
_ADDRESS_MATCHED: Final = Phrase("precheck.had.address_matched", "the address had matched")
_ISSUER_APPROVED: Final = Phrase("precheck.had.approved", "the issuer had approved the card")
_HAD_ADVISED: Final = Phrase("precheck.had.advised", "PreCheck had advised ACCEPT")
_OF_AVS: Final = "avs_"
_OF_CVV2: Final = "cvv2_"
_POLICY: Final = (_OF_AVS, _OF_CVV2)
_FINE: Final[tuple[str, ...]] = (
    *(Cvv2Result.MATCH, Cvv2Result.NOT_PROVIDED),
    *(AvsResult.FULL_MATCH, AvsResult.NOT_PROVIDED),
)


def _findings(facts: Mapping[str, Any], _model: str | None) -> list[StageFinding]:
    advice, avs, cvv2 = (str(facts.get(key)) for key in ("advice", "avsResult", "cvv2Result"))
    reasons = [str(each) for each in facts.get("reasons", ())]
    why = all_of(_why(reasons, avs, cvv2) or [_NO_REASON()])
    of_avs, of_cvv2 = _said(_AVS, avs), _said(_CVV2, cvv2)
    checked = _CHECKED.worded(f"{_capital(of_avs)}. {_capital(of_cvv2)}.", avs=of_avs, cvv2=of_cvv2)
    return [
        StageFinding(text=_ADVISED(advice=_said(_ADVICE, advice), why=why), code=advice),
        StageFinding(text=checked, code=f"AVS {avs}, CVV2 {cvv2}"),
    ]


def _why(reasons: Iterable[str], avs: str, cvv2: str) -> list[str]:
    """The reasons in words; what the account's policy makes of an approval is a reason, too."""
    found = []
    for reason in reasons:
        if reason.startswith(_OF_AVS):
            found.append(_said(_AVS, avs))
        elif reason.startswith(_OF_CVV2):
            found.append(_said(_CVV2, cvv2))
        else:
            known = _REASONS.get(reason)
            found.append(_OTHER_REASON(reason=reason) if known is None else known())
    return found


def _said(phrases: Mapping[str, Phrase], result: str) -> str:
    return phrases[result]() if result in phrases else result


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _verdict(signals: Mapping[str, Any]) -> Outcome:
    accepted = signals.get("precheck.advice") == Advice.ACCEPT
    return Outcome.ACCEPT if accepted else Outcome.DECLINE


def _changes(facts: Mapping[str, Any], _model: str | None) -> list[ResultChange]:
    """What would have made PreCheck find less against the card.

    The policy of that time is not recorded, but which of the two checks it objected to is. An
    objection to a full match is the only one that these changes do not foresee.
    """
    reasons = [str(each) for each in facts.get("reasons", ())]
    rest = {word: tuple(each for each in reasons if not each.startswith(word)) for word in _POLICY}
    found = []
    if facts.get("cvv2Result") not in _FINE:
        signals = {"precheck.cvv2Result": Cvv2Result.MATCH.value}
        found.append(_change(_CODE_MATCHED(), signals, reasons, rest[_OF_CVV2]))
    if facts.get("avsResult") not in _FINE:
        signals = {"precheck.avsResult": AvsResult.FULL_MATCH.value}
        found.append(_change(_ADDRESS_MATCHED(), signals, reasons, rest[_OF_AVS]))
    by_policy = any(each.startswith(_POLICY) for each in reasons)
    if facts.get("advice") != Advice.ACCEPT and not by_policy:
        # The policy objects to approvals only, so nothing says what it would have made of this one.
        matched = facts.get("cvv2Result") in _FINE and facts.get("avsResult") in _FINE
        condition = _ISSUER_APPROVED() if matched else _HAD_ADVISED()
        found.append(_change(condition, {}, reasons, ()))
    return [each for each in found if each is not None]


def _change(
    condition: str, signals: dict[str, str], before: list[str], after: tuple[str, ...]
) -> ResultChange | None:
    if after or not before:
        # Another reason stands, and with it the advice.
        return ResultChange(condition=condition, signals=signals) if signals else None
    approved = {"precheck.advice": Advice.ACCEPT.value, "precheck.reasons": [_APPROVED]}
    return ResultChange(condition=condition, signals={**signals, **approved})


EXPLANATION: Final = StageExplanation(
    findings=_findings,
    verdict=_verdict,
    changes=_changes,
    told_whole=(
        "precheck.advice",
        "precheck.avsResult",
        "precheck.cvv2Result",
        "precheck.reasons",
    ),
)
