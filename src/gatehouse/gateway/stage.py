"""Gateway as a stage of the engine: sends one authorization and words the answer.

That the payment may be under way is noted before the stage runs, with the fees, and what is not
answered is reversed later; see `pipeline.settlement` and `store.requests.reversal_worker`. The
stage itself never asks twice.
"""

import re
from functools import partial
from typing import Final

import msgspec

from gatehouse.core.cards.network_ids import NETWORK_ID
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.cards.redaction import MASK, recordable, recordable_id
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import Case, MadePayment, StageResult
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.gateway.port import (
    Authorization,
    GatewayAnswer,
    GatewayInput,
    PaymentGateway,
    ReferringGateway,
)
from gatehouse.gateway.response import FEE_TYPE, NAME, GatewayResponse, GatewayStatus

_LONGEST_CODE: Final = 32
_LONGEST_ID: Final = 512
_NO_DIGIT: Final = re.compile(r"[^0-9]+")
# Named once: in Python 3.11 `Outcome.ACCEPT` takes 0.3 µs, 18 times as long as a plain name.
_APPROVED: Final = GatewayStatus.APPROVED
_DECLINED: Final = GatewayStatus.DECLINED
_TO_ACCEPT: Final = Outcome.ACCEPT
_TO_DECLINE: Final = Outcome.DECLINE
_ERROR: Final = GatewayResponse(GatewayStatus.ERROR, None, None)


class GatewayStage:
    """Has a payment authorized."""

    name = NAME
    fee_type = FEE_TYPE

    def __init__(self, gateway: PaymentGateway, *, time_limit_ms: int) -> None:
        self.time_limit_ms = time_limit_ms
        self._gateway = gateway
        self._refer = gateway.refer if isinstance(gateway, ReferringGateway) else None

    async def run(self, case: Case) -> StageResult:
        """Ask the gateway, once."""
        asked = case.input(GatewayInput)
        if asked.security_code is not None and case.guess_limit_reached:
            # Nobody may learn here whether a guess at the code was right.
            response = GatewayResponse(GatewayStatus.DECLINED, None, None)
            return _result(asked, asked.payment, response, completed=True)
        if asked.security_code is not None and case.guess_limit_at_risk:
            return _result(asked, asked.payment, _ERROR, completed=False)
        try:
            answer = await self._gateway.authorize(_authorization(case, asked))
        except ConnectorFailed as failure:
            case.payment_unsent = not failure.sent
            raise
        response = _worded(answer, asked.number)
        if answer.reference is not None:
            case.payment_reference = answer.reference
        # A gateway seldom says why: with a code, any decline may mean that the code was wrong.
        guessed = asked.security_code is not None and response.status is _DECLINED
        result = _result(asked, _referred(case, asked), response, completed=True)
        return msgspec.structs.replace(result, mismatched=True) if guessed else result

    def unavailable(self, case: Case) -> StageResult:
        """The gateway failed or was late: a payment that may have been sent must not stand."""
        asked = case.input(GatewayInput)
        if case.payment_unsent:
            return _result(asked, asked.payment, _ERROR, completed=False)
        return _result(asked, _referred(case, asked), _ERROR, completed=False, in_doubt=True)

    def refer(self, case: Case) -> str | None:
        """What the gateway has to know to reverse the payment."""
        if self._refer is None:
            return None
        return self._refer(_authorization(case, case.input(GatewayInput)))


def _authorization(case: Case, asked: GatewayInput) -> Authorization:
    fields = msgspec.structs.asdict(asked) | {"payment": _referred(case, asked)}
    redirect = None if case.redirect_payment is None else partial(_redirect, case)
    return Authorization(
        **fields, request_id=case.request_id, account_id=case.account_id, redirect=redirect
    )


async def _redirect(case: Case, reference: str) -> None:
    assert case.redirect_payment is not None
    # Nothing was sent so far; should the time be over before this is stored, nothing ever was.
    case.payment_unsent = True
    await case.redirect_payment(reference)
    case.payment_reference, case.payment_unsent = reference, False


def _referred(case: Case, asked: GatewayInput) -> Payment:
    """The payment with its reference."""
    if case.payment_reference is None:
        return asked.payment
    return msgspec.structs.replace(asked.payment, reference=case.payment_reference)


def _worded(answer: GatewayAnswer, number: CardNumber) -> GatewayResponse:
    if not isinstance(answer, GatewayAnswer):
        raise TypeError("a gateway answers with a GatewayAnswer")
    if not isinstance(answer.approved, bool):
        raise TypeError("a gateway says True or False about a payment")
    # Whatever a connector passes on from the other side may be anything: it is kept as a code.
    code, approval = _code(answer.response_code), None
    if answer.approved and answer.approval_code is not None:
        approval = _code(answer.approval_code)
    name = None if answer.payment_id is None else _payment_id(answer.payment_id, number)
    status = _APPROVED if answer.approved else _DECLINED
    network_id = answer.network_transaction_id if answer.approved else None
    if network_id is not None and not _is_network_id(network_id, number):
        network_id = None
    return GatewayResponse(status, code, approval, name, answer.party, network_id)


def _is_network_id(text: str, number: CardNumber) -> bool:
    """Whether it can be given back to the network; some have digits like those of a card."""
    if not isinstance(text, str):
        raise TypeError("the network's id of a payment is a text")
    return NETWORK_ID.fullmatch(text) is not None and number.reveal() not in text


def _payment_id(text: str, number: CardNumber) -> str:
    """The party's id without what may be a card number, above all the one that was paid with."""
    if not isinstance(text, str):
        raise TypeError("the id of a payment is a text")
    text = text[:_LONGEST_ID]
    if number.reveal() in _NO_DIGIT.sub("", text):
        return MASK
    return recordable_id(text)


def _code(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError("a gateway's codes are texts")
    return recordable(text)[:_LONGEST_CODE]


def _result(
    asked: GatewayInput,
    payment: Payment,
    response: GatewayResponse,
    *,
    completed: bool,
    in_doubt: bool = False,
) -> StageResult:
    facts = {
        "status": response.status,
        "responseCode": response.response_code,
        "approvalCode": response.approval_code,
        "amountMinor": payment.amount_minor,
        "currency": payment.currency,
    }
    if response.payment_id is not None:
        facts["paymentId"] = response.payment_id
    if response.party is not None:
        facts["party"] = response.party
    if asked.stored_credential is not None:
        facts["storedCredential"] = asked.stored_credential.kind.value
    approved = response.status is _APPROVED
    made = MadePayment(
        payment.amount_minor,
        payment.currency,
        response.party,
        response.payment_id,
        response.network_transaction_id,
    )
    return StageResult(
        response,
        completed,
        facts,
        verdict=_TO_ACCEPT if approved else _TO_DECLINE,
        declined=response.status is _DECLINED,
        paid=made if approved else None,
        in_doubt=in_doubt,
    )
