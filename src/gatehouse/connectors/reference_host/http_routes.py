"""What the reference host answers over HTTP: our own contract, and the routes that drive tests."""

from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Any, Final

import msgspec

from gatehouse.connectors.reference_host.host import (
    HostDecision,
    HostMessage,
    ReferenceHost,
    may_be_kept,
)
from gatehouse.connectors.reference_host.http_contract import (
    CheckAnswer,
    CheckBody,
    ContractAddress,
    ContractHolder,
    ErrorAnswer,
    HolderAnswer,
    OperationAnswerBody,
    OperationBody,
    PaymentAnswer,
    PaymentBody,
    ReversalAnswer,
    ReversalBody,
    VerifyBody,
    holder_answer,
)
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome
from gatehouse.connectors.reference_host.misbehaviour import HostFate, HostMisbehaviour
from gatehouse.connectors.sandbox.parties import check_card, find_holders, network_id_of
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.idverify.verdict import judge
from gatehouse.precheck.issuer import CardEnquiry

HEALTH: Final = ("GET", "/v1/health")
_NO_ADDRESS: Final = ContractAddress()


class HttpReply(msgspec.Struct, frozen=True):
    """An answer, and the message that it answers; without one it is never journalled."""

    status: int
    body: Any
    message: HostMessage | None = None
    decision: HostDecision = HostDecision(HostOutcome.ANSWERED)


class HttpRoutes:
    """Answers requests by their method and path."""

    def __init__(self, host: ReferenceHost, *, with_tls: bool) -> None:
        self._host = host
        self._with_tls = with_tls
        self._check_bodies = RequestReader(CheckBody)
        self._verify_bodies = RequestReader(VerifyBody)
        self._payment_bodies = RequestReader(PaymentBody)
        self._reversal_bodies = RequestReader(ReversalBody)
        self._operation_bodies = RequestReader(OperationBody)
        self._misbehaviours = RequestReader(HostMisbehaviour)
        self._routes: dict[tuple[str, str], tuple[HostKind | None, Callable[[bytes], HttpReply]]]
        self._routes = {
            ("POST", "/v1/cards/check"): (HostKind.CHECK, self._check),
            ("POST", "/v1/identities/verify"): (HostKind.VERIFY, self._verify),
            ("POST", "/v1/payments"): (HostKind.AUTHORIZE, self._authorize),
            ("POST", "/v1/payments/reversals"): (HostKind.REVERSE, self._reverse),
            ("POST", "/v1/payments/captures"): (
                HostKind.CAPTURE,
                partial(self._operate, HostKind.CAPTURE),
            ),
            ("POST", "/v1/payments/refunds"): (
                HostKind.REFUND,
                partial(self._operate, HostKind.REFUND),
            ),
            HEALTH: (None, lambda _body: HttpReply(200, {"status": "ok"})),
            ("GET", "/v1/journal/summary"): (None, self._summary),
            ("GET", "/v1/misbehaviour"): (None, self._misbehaviour),
            ("PUT", "/v1/misbehaviour"): (None, self._misbehave),
        }
        self._paths = {path for _, path in self._routes}

    def answer(self, method: str, path: str, body: bytes) -> HttpReply:
        """The answer to a request whose caller is known."""
        found = self._routes.get((method, path))
        if found is None:
            if path in self._paths:
                return HttpReply(405, ErrorAnswer("this path does not take this method"))
            return HttpReply(404, ErrorAnswer("there is nothing under this path"))
        kind, route = found
        try:
            return route(body)
        except RequestRefused as refused:
            status = 422 if refused.fields else 400
            told = ErrorAnswer("; ".join(_told(refused)) or "the body cannot be used")
            if kind is None:
                return HttpReply(status, told)
            return HttpReply(status, told, HostMessage("http", kind), _REFUSED)

    def _check(self, body: bytes) -> HttpReply:
        asked = self._check_bodies.read(body)
        address = asked.address or _NO_ADDRESS
        enquiry = CardEnquiry(
            asked.request_id,
            asked.card_number,
            asked.expiry,
            asked.security_code,
            address.postal_code,
            address.street,
        )
        message = _enquiry(HostKind.CHECK, asked.request_id, asked.card_number)
        answer = check_card(enquiry)
        if answer is None:
            return _silence(message)
        told = CheckAnswer(
            answer.response_code,
            answer.avs_letter,
            answer.cvv2_letter,
            _compare(asked.holder, asked.card_number, asked.expiry),
        )
        decision = HostDecision(HostOutcome.ANSWERED, answer.response_code)
        return HttpReply(200, told, message, decision)

    def _verify(self, body: bytes) -> HttpReply:
        asked = self._verify_bodies.read(body)
        message = _enquiry(HostKind.VERIFY, asked.request_id, asked.card_number)
        told = _compare(asked.holder, asked.card_number, asked.expiry)
        return _silence(message) if told is None else HttpReply(200, told, message)

    def _authorize(self, body: bytes) -> HttpReply:
        asked = self._payment_bodies.read(body)
        message = _payment(HostKind.AUTHORIZE, asked, asked.card_number)
        decision = self._host.authorize(message)
        if decision.outcome is HostOutcome.SILENT:
            return HttpReply(200, None, message, decision)
        is_approved = decision.outcome is HostOutcome.APPROVED
        told = PaymentAnswer(
            is_approved,
            decision.code or "",
            _payment_id(asked.reference),
            decision.approval_code,
            network_id_of(asked.reference) if is_approved else None,
        )
        return HttpReply(200, told, message, decision)

    def _reverse(self, body: bytes) -> HttpReply:
        asked = self._reversal_bodies.read(body)
        message = _payment(HostKind.REVERSE, asked)
        if asked.id is not None and asked.id != _payment_id(asked.reference):
            told = ErrorAnswer("id: is of another payment than reference")
            return HttpReply(422, told, message, _REFUSED)
        decision = self._host.reverse(message)
        if decision.outcome is HostOutcome.REFUSED:
            told = ErrorAnswer("amountMinor, currency: are not those of the payment")
            return HttpReply(422, told, message, decision)
        return HttpReply(200, ReversalAnswer(reversed=True), message, decision)

    def _operate(self, kind: HostKind, body: bytes) -> HttpReply:
        asked = self._operation_bodies.read(body)
        operation = _kept("operation", asked.operation)
        message = msgspec.structs.replace(_payment(kind, asked), operation=operation)
        if asked.id is not None and asked.id != _payment_id(asked.reference):
            told = ErrorAnswer("id: is of another payment than reference")
            return HttpReply(422, told, message, _REFUSED)
        decision = self._host.operate(message)
        if decision.outcome is HostOutcome.REFUSED:
            told = ErrorAnswer("operation: was used for something else")
            return HttpReply(422, told, message, decision)
        done = decision.outcome is HostOutcome.APPROVED
        answer = OperationAnswerBody(
            "succeeded" if done else "refused",
            decision.code or "",
            f"done_{blake2b(asked.operation.encode(), digest_size=12).hexdigest()}",
            asked.amount_minor,
        )
        return HttpReply(200, answer, message, decision)

    def _summary(self, _body: bytes) -> HttpReply:
        return HttpReply(
            200,
            {
                **msgspec.to_builtins(self._host.memory.summary),
                "connections": len(self._host.connections),
            },
        )

    def _misbehaviour(self, _body: bytes) -> HttpReply:
        return HttpReply(200, self._host.misbehaviour)

    def _misbehave(self, body: bytes) -> HttpReply:
        wanted = self._misbehaviours.read(body)
        if HostFate.TLS_FAILURE in wanted.shares and not self._with_tls:
            return HttpReply(422, ErrorAnswer("shares: tls-failure needs a host with --tls"))
        self._host.misbehave(wanted)
        return HttpReply(200, wanted)


_REFUSED: Final = HostDecision(HostOutcome.REFUSED)


def _told(refused: RequestRefused) -> list[str]:
    fields = [f"{path}: {', '.join(texts)}" for path, texts in refused.fields.items()]
    return [*fields, *refused.details]


def _kept(field: str, reference: str) -> str:
    if not may_be_kept(reference):
        raise RequestRefused("invalid_request", fields={field: ["must not hold a card number"]})
    return reference


def _enquiry(kind: HostKind, request_id: str, number: CardNumber) -> HostMessage:
    return HostMessage("http", kind, _kept("requestId", request_id), number=number)


def _payment(
    kind: HostKind,
    asked: PaymentBody | ReversalBody | OperationBody,
    number: CardNumber | None = None,
) -> HostMessage:
    return HostMessage(
        "http",
        kind,
        _kept("reference", asked.reference),
        amount_minor=asked.amount_minor,
        currency=asked.currency,
        number=number,
    )


def _silence(message: HostMessage) -> HttpReply:
    return HttpReply(200, None, message, HostDecision(HostOutcome.SILENT))


def _compare(
    holder: ContractHolder | None, number: CardNumber, expiry: ExpiryDate
) -> HolderAnswer | None:
    """What is claimed compared with the sandbox's people; None when the source stays silent."""
    holders = None if holder is None else find_holders(number)
    if holder is None or holders is None:
        return None
    request = holder.of_card(number, expiry)
    return holder_answer(request, judge(request, holders).finding)


def _payment_id(reference: str) -> str:
    return f"pay_{blake2b(reference.encode(), digest_size=12).hexdigest()}"
