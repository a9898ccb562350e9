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
    ChargeBody,
    CheckAnswer,
    CheckBody,
    ContractAddress,
    ContractHolder,
    DisputeBody,
    ErrorAnswer,
    HolderAnswer,
    OperationAnswerBody,
    OperationBody,
    PageAnswerBody,
    PageBody,
    PageStatusBody,
    PaymentAnswer,
    PaymentBody,
    ReversalAnswer,
    ReversalBody,
    VerifyBody,
    holder_answer,
)
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome
from gatehouse.connectors.reference_host.misbehaviour import HostFate, HostMisbehaviour
from gatehouse.connectors.reference_host.notices import HostNotice, NoticeReceiver
from gatehouse.connectors.reference_host.pages import is_moment, shown, typed
from gatehouse.connectors.sandbox.parties import check_card, find_holders, network_id_of
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.gateway.hosted_pages import PageState
from gatehouse.idverify.verdict import judge
from gatehouse.precheck.issuer import CardEnquiry

HEALTH: Final = ("GET", "/v1/health")
PAGES: Final = "/pages/"
"""Where a browser opens payment pages, without the token of callers."""
_PAGE_PATH: Final = "/v1/payment-pages/"
_CARD_PATH: Final = "/v1/stored-cards/"
_NO_SUCH_CARD: Final = "14"
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
        self._page_bodies = RequestReader(PageBody)
        self._charge_bodies = RequestReader(ChargeBody)
        self._misbehaviours = RequestReader(HostMisbehaviour)
        self._dispute_bodies = RequestReader(DisputeBody)
        self._receivers = RequestReader(NoticeReceiver)
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
            ("POST", "/v1/stored-cards/charges"): (HostKind.AUTHORIZE, self._charge),
            ("POST", "/v1/payments/disputes"): (None, self._dispute),
            ("PUT", "/v1/notifications"): (None, self._send_to),
            ("GET", "/v1/notifications"): (None, self._waiting),
            HEALTH: (None, lambda _body: HttpReply(200, {"status": "ok"})),
            ("GET", "/v1/journal/summary"): (None, self._summary),
            ("GET", "/v1/misbehaviour"): (None, self._misbehaviour),
            ("PUT", "/v1/misbehaviour"): (None, self._misbehave),
        }
        self._paths = {path for _, path in self._routes}

    def answer(self, method: str, path: str, body: bytes, authority: str) -> HttpReply:
        """The answer to a request whose caller is known, or that is of a browser."""
        found = self._routes.get((method, path))
        if path.startswith(PAGES):
            return self._show(method, path.removeprefix(PAGES), body)
        if method == "GET" and path.startswith(_PAGE_PATH):
            return self._page_status(path.removeprefix(_PAGE_PATH))
        if method == "DELETE" and path.startswith(_CARD_PATH):
            return self._delete_card(path.removeprefix(_CARD_PATH))
        if (method, path) == ("POST", "/v1/payment-pages"):
            found = (HostKind.PAGE, partial(self._page, authority))
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
        if decision.outcome is HostOutcome.REVERSED:
            self._tell("voided", asked)
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
        operation_id = f"done_{_digest(asked.operation)}"
        word = "captured" if kind is HostKind.CAPTURE else "refunded"
        refused = "capture_refused" if kind is HostKind.CAPTURE else "refund_refused"
        if not decision.duplicate:
            self._tell(word if done else refused, asked, operation_id)
        answer = OperationAnswerBody(
            "succeeded" if done else "refused",
            decision.code or "",
            operation_id,
            asked.amount_minor,
            asked.currency,
        )
        return HttpReply(200, answer, message, decision)

    def _tell(
        self, event: str, asked: OperationBody | ReversalBody, operation_id: str | None = None
    ) -> None:
        """Tell of what was done, as providers do besides their answer."""
        operation = asked.operation if isinstance(asked, OperationBody) else None
        self._host.notices.tell(
            HostNotice(
                id=f"notice_{_digest(f'{event} {asked.reference} {operation}')}",
                event=event,
                at=self._host.notices.now(),
                payment_id=_payment_id(asked.reference),
                reference=asked.reference,
                amount_minor=asked.amount_minor,
                currency=asked.currency,
                operation=operation,
                operation_id=operation_id,
            )
        )

    def _dispute(self, body: bytes) -> HttpReply:
        asked = self._dispute_bodies.read(body)
        reference = _kept("reference", asked.reference)
        _kept("case", asked.case)
        notice = HostNotice(
            id=f"notice_{_digest(f'{reference} {asked.case} {asked.result}')}",
            event="disputed",
            at=self._host.notices.now(),
            payment_id=_payment_id(reference),
            reference=reference,
            amount_minor=asked.amount_minor,
            currency=asked.currency,
            case=asked.case,
            reason=asked.reason,
            result=asked.result,
        )
        self._host.notices.tell(notice)
        return HttpReply(200, notice)

    def _send_to(self, body: bytes) -> HttpReply:
        receiver = self._receivers.read(body)
        self._host.notices.send_to(receiver)
        return HttpReply(200, {"url": receiver.url})

    def _waiting(self, _body: bytes) -> HttpReply:
        return HttpReply(200, {"waiting": self._host.notices.waiting})

    def _page(self, authority: str, body: bytes) -> HttpReply:
        asked = self._page_bodies.read(body)
        if not is_moment(asked.expires_at):
            problem = {"expiresAt": ["must be a time such as 2026-01-31T12:00:00Z"]}
            raise RequestRefused("invalid_request", fields=problem)
        message = HostMessage("http", HostKind.PAGE, _kept("reference", asked.reference))
        page_id = _page_id(asked.reference)
        if self._host.pages.make(page_id, asked) is None:
            told = ErrorAnswer("reference: was used for another amount")
            return HttpReply(422, told, message, _REFUSED)
        scheme = "https" if self._with_tls else "http"
        return HttpReply(
            200, PageAnswerBody(f"{scheme}://{authority}{PAGES}{page_id}", page_id), message
        )

    def _page_status(self, page_id: str) -> HttpReply:
        page = self._host.pages.find(page_id)
        if page is None:
            return HttpReply(404, ErrorAnswer("there is no such page"))
        asked = page.asked
        told = PageStatusBody(page.state, asked.amount_minor, asked.currency, page.card)
        return HttpReply(200, told, HostMessage("http", HostKind.PAGE, asked.reference))

    def _show(self, method: str, page_id: str, body: bytes) -> HttpReply:
        page = self._host.pages.find(page_id)
        if page is None or method not in ("GET", "POST"):
            return HttpReply(404, ErrorAnswer("there is no such page"))
        if method == "GET" or page.state is not PageState.OPEN:
            return HttpReply(200, shown(page))
        fields = typed(body)
        if fields.get("do") == "refuse":
            page.state = PageState.REFUSED
            return HttpReply(200, shown(page))
        try:
            number = CardNumber.parse(fields.get("cardNumber", ""))
        except ValueError:
            return HttpReply(200, shown(page, "this is no card number"))
        message = HostMessage(
            "http",
            HostKind.AUTHORIZE,
            page.reference(),
            amount_minor=page.asked.amount_minor,
            currency=page.asked.currency,
            number=number,
        )
        decision = self._host.authorize(message)
        if decision.outcome is not HostOutcome.APPROVED:
            return HttpReply(200, shown(page, f"declined: {decision.code}"), message, decision)
        self._host.pages.paid(page_id, number)
        return HttpReply(200, shown(page), message, decision)

    def _charge(self, body: bytes) -> HttpReply:
        """Charge a stored card; a repeat gets the first answer."""
        asked = self._charge_bodies.read(body)
        number = self._host.pages.cards.get(asked.stored_card)
        message = _payment(HostKind.AUTHORIZE, asked, number)
        if number is None and self._host.memory.find(asked.reference) is None:
            decision = HostDecision(HostOutcome.DECLINED, _NO_SUCH_CARD)
        else:
            decision = self._host.authorize(message)
        if decision.outcome is HostOutcome.SILENT:
            return _silence(message)
        if decision.outcome is HostOutcome.REFUSED:
            told = ErrorAnswer("reference: was used for another amount")
            return HttpReply(422, told, message, decision)
        result = "succeeded" if decision.outcome is HostOutcome.APPROVED else "refused"
        paid = (_payment_id(asked.reference), asked.amount_minor, asked.currency)
        answer = OperationAnswerBody(result, decision.code or "", *paid)
        return HttpReply(200, answer, message, decision)

    def _delete_card(self, name: str) -> HttpReply:
        if self._host.pages.cards.pop(name, None) is None:
            return HttpReply(404, ErrorAnswer("there is no such card"))
        return HttpReply(200, {"deleted": True})

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
    asked: PaymentBody | ReversalBody | OperationBody | ChargeBody,
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


def _page_id(reference: str) -> str:
    return f"page_{blake2b(reference.encode(), digest_size=16).hexdigest()}"


def _payment_id(reference: str) -> str:
    return f"pay_{_digest(reference)}"


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()
