"""ID Verify as a stage of the engine: asks the identity source and builds the result."""

import asyncio
from typing import Any, Final

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.stages.case import Case, StageResult
from gatehouse.core.stages.stage import Contacts
from gatehouse.idverify.contacts import read_contacts
from gatehouse.idverify.payee import verify_payee
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import (
    FEE_TYPE,
    NAME,
    IdVerifyResponse,
    NameVerification,
    PayeeMatch,
    Result,
)
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry, IdentitySource
from gatehouse.idverify.verdict import (
    Finding,
    IdentityVerdict,
    as_compared,
    judge_in_steps,
    level_of,
    unanswered,
)

_AT_ONCE: Final = "too_many_at_once"
_NAMES_AT_ONCE: Final = 4


class IdVerifyStage:
    """Compares what is claimed about a card's holder with what is on record."""

    name = NAME
    fee_type = FEE_TYPE

    def __init__(self, source: IdentitySource, *, time_limit_ms: int) -> None:
        self.time_limit_ms = time_limit_ms
        self._source = source

    async def run(self, case: Case) -> StageResult:
        """Ask who holds the card and compare, unless the identifiers may be guesses."""
        request = case.input(IdVerifyRequest)
        refusal = _refusal(case) if request.has_identifiers else None
        if refusal is not None:
            verdict = unanswered(request, Result.NOT_PROCESSED, refusal)
            return _result(case, request, verdict, completed=refusal != _AT_ONCE)
        answer = await self._answer(case, request)
        if isinstance(answer, HolderResults):
            verdict = as_compared(request, answer)
        else:
            verdict = await judge_in_turns(request, answer)
        payee = await verify_payee(request.payee_name, answer)
        return _result(case, request, verdict, payee, completed=True)

    async def _answer(self, case: Case, request: IdVerifyRequest) -> Holders | HolderResults:
        """What the source says, unless the card's issuer has said it already."""
        if IdVerifyStage.name not in case.other_cards:
            known = case.answered.find(HolderResults)
            if known is not None:
                return known
        return await self._source.find(_enquiry(case, request))

    def unavailable(self, case: Case) -> StageResult:
        """The source failed or was late: nothing is known, nothing is charged."""
        request = case.input(IdVerifyRequest)
        verdict = unanswered(request, Result.UNKNOWN, "source_unavailable")
        return _result(case, request, verdict, completed=False)


async def judge_in_turns(request: IdVerifyRequest, holders: Holders) -> IdentityVerdict:
    """The verdict; after the first few names, other requests have their turn before each one."""
    steps, taken = judge_in_steps(request, holders), 0
    while True:
        try:
            next(steps)
        except StopIteration as done:
            verdict: IdentityVerdict = done.value
            return verdict
        taken += 1
        if taken >= _NAMES_AT_ONCE:
            await asyncio.sleep(0)


def _refusal(case: Case) -> str | None:
    """Why identifiers are not compared: they may be guesses."""
    if case.guess_limit_reached:
        return "too_many_wrong_identifiers"
    if case.guess_limit_at_risk:
        return _AT_ONCE
    # Guesses are counted for the card that is charged; this is another one.
    if case.guess_limit_applies and IdVerifyStage.name in case.other_cards:
        return "cards_differ"
    return None


def _enquiry(case: Case, request: IdVerifyRequest) -> IdentityEnquiry:
    # In a pipeline another card may be charged than the one whose holder is asked for.
    card = case.other_cards.get(IdVerifyStage.name, case.card)
    assert card is not None
    number = request.card_number
    return IdentityEnquiry(case.request_id, case.account_id, number, card.inner, request)


def _result(
    case: Case,
    request: IdVerifyRequest,
    verdict: IdentityVerdict,
    payee: PayeeMatch = PayeeMatch.NOT_POSSIBLE,
    *,
    completed: bool,
) -> StageResult:
    response = _response(request, verdict.finding, payee)
    facts: dict[str, Any] = msgspec.to_builtins(response)
    facts["why"] = _why(verdict.finding)
    facts["holders"] = verdict.holders
    facts["holder"] = verdict.chosen
    facts["ownerType"] = verdict.owner_type
    facts |= _derived(case.inputs.find(Contacts) or _contacts(request))
    expired = request.card_expiry_date.has_passed(case.at_ms)
    facts["reasons"] = [*verdict.reasons, *(["card_expired"] if expired else [])]
    return StageResult(response, completed, facts, mismatched=verdict.wrong_identifier)


def _response(request: IdVerifyRequest, finding: Finding, payee: PayeeMatch) -> IdVerifyResponse:
    name: NameVerification | msgspec.UnsetType = msgspec.UNSET
    if finding.name is not None:
        name = NameVerification(
            first_name_account_match_decision=finding.name.first.result,
            middle_name_account_match_decision=finding.name.middle.result,
            last_name_account_match_decision=finding.name.last.result,
            name_match_decision=finding.name.whole.result,
            name_result=finding.name.performed,
        )
    return IdVerifyResponse(
        card_holder_email_address_verification_results=finding.email.result,
        card_holder_phone_number_verification_results=finding.phone.result,
        card_holder_name_verification_result=name,
        id_verification={kind: each.result for kind, each in finding.identifiers.items()},
        verification_level=level_of(request),
        payee_match=msgspec.UNSET if request.payee_name is None else payee,
    )


def _why(finding: Finding) -> dict[str, str]:
    """Why each comparison came out as it did, by a short name of what was compared."""
    found: dict[str, str | None] = {"email": finding.email.why, "phone": finding.phone.why}
    if finding.name is not None:
        found["firstName"] = finding.name.first.why
        found["middleName"] = finding.name.middle.why
        found["lastName"] = finding.name.last.why
        found["name"] = finding.name.whole.why
    found |= {kind.value: each.why for kind, each in finding.identifiers.items()}
    return {what: why for what, why in found.items() if why not in (None, "not_sent")}


def _contacts(request: IdVerifyRequest) -> Contacts:
    return read_contacts(request.card_holder_email_address, request.card_holder_phone_number)


def _derived(contacts: Contacts) -> dict[str, str]:
    """What may be kept of the values: where the address and the phone number belong."""
    facts: dict[str, str] = {}
    if contacts.email_domain is not None:
        facts["emailDomain"] = recordable(contacts.email_domain)
    if contacts.phone_country is not None:
        facts["phoneCountry"] = contacts.phone_country
    return facts
