"""A party that speaks HTTPS and JSON, as the ports of PreCheck, ID Verify and Gateway see it."""

import asyncio
from typing import Any, Final

import msgspec

from gatehouse.connectors.connector import ConnectorState
from gatehouse.connectors.http.answers import (
    WordKind,
    compile_flag,
    compile_holder,
    compile_reading,
)
from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.building import Building
from gatehouse.connectors.http.calls import CompiledCall
from gatehouse.connectors.http.compiled import Refusal
from gatehouse.connectors.http.mapping import (
    CheckMapping,
    IdentityMapping,
    Mapping,
)
from gatehouse.connectors.http.notifications import HttpNotifications, has_keys
from gatehouse.connectors.http.options import HttpDefinition
from gatehouse.connectors.http.ports.operating import OperationCall, code_of, nothing, optional
from gatehouse.connectors.http.ports.pages import HttpPages
from gatehouse.connectors.http.templates import Render, compile_template, parse_template
from gatehouse.connectors.http.wire import CallFailed
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import ValuesByType
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.gateway.operating import (
    Offer,
    OperationAnswer,
    OperationKind,
    PaymentOperation,
)
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import HolderResults, IdentityEnquiry
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer

_NO_CODE: Final = Phrase("connector.no_code", "the answer has no response code")
_NO_VERDICT: Final = Phrase(
    "connector.no_verdict", "the answer does not say whether the payment is approved"
)
_NOT_REVERSED: Final = Phrase("connector.not_reversed", "the reversal is not confirmed")


_NOTHING_KNOWN: Final = "-"


class HttpIssuer:
    """Answers for cards, and for their holders when the mapping can."""

    def __init__(self, mapping: CheckMapping, building: Building) -> None:
        answer, tables = mapping.answer, building.environment.tables
        self._caller = building.caller
        self._call = building.call(mapping, WordKind.RESPONSE_CODE, may_repeat=True)
        self._code = compile_reading(answer.response_code, WordKind.RESPONSE_CODE, tables)
        self._avs = optional(answer.avs, WordKind.LETTER, tables)
        self._cvv2 = optional(answer.cvv2, WordKind.LETTER, tables)
        self._holder = None if answer.holder is None else compile_holder(answer.holder, tables)

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Ask about one card."""
        asked = Asked(enquiry.request_id, enquiry.account_id, enquiry)
        asked.number, asked.expiry = enquiry.number, enquiry.expiry
        asked.code = enquiry.security_code
        asked.postal_code, asked.street = enquiry.postal_code, enquiry.street
        claimed = enquiry.inputs.find(IdVerifyRequest) if self._holder is not None else None
        # In a pipeline another card may be charged than the one whose holder is asked for.
        if claimed is not None and claimed.card_number == enquiry.number:
            asked.holder = claimed
        return await self._caller.call(self._call, asked, self._read)

    def _read(self, answer: Any, asked: Asked) -> IssuerAnswer:
        if isinstance(answer, Refusal):
            return IssuerAnswer(code_of(answer))
        brand = asked.brand
        code = self._code(answer, brand)
        if code is None:
            raise ConnectorFailed(_NO_CODE())
        also = None
        if asked.holder is not None and self._holder is not None:
            results = self._holder(answer, brand)
            also = None if results is None else ValuesByType.of(results)
        return IssuerAnswer(code, self._avs(answer, brand), self._cvv2(answer, brand), also)


class HttpIdentities:
    """Compares what is claimed about the holder of a card."""

    def __init__(self, mapping: IdentityMapping, building: Building) -> None:
        self._caller = building.caller
        self._call = building.call(mapping, WordKind.RESPONSE_CODE, may_repeat=True)
        self._holder = compile_holder(mapping.answer.holder, building.environment.tables)

    async def find(self, enquiry: IdentityEnquiry) -> HolderResults:
        """Ask about one card's holder."""
        asked = Asked(enquiry.request_id, enquiry.account_id, enquiry)
        asked.number, asked.expiry = enquiry.number, enquiry.request.card_expiry_date
        asked.holder = enquiry.request
        return await self._caller.call(self._call, asked, self._read)

    def _read(self, answer: Any, asked: Asked) -> HolderResults:
        return self._holder(answer, asked.brand) or HolderResults()


class HttpGateway:
    """Authorizes payments and reverses them. An authorization is never sent twice."""

    def __init__(self, mapping: Mapping, building: Building) -> None:
        authorize, reverse = mapping.authorize, mapping.reverse
        assert authorize is not None
        assert reverse is not None
        answer, environment = authorize.answer, building.environment
        tables = environment.tables
        self._caller = building.caller
        self._authorize = building.call(authorize, WordKind.GATEWAY_CODE, may_repeat=False)
        self._approved = compile_flag(answer.approved, tables)
        self._code = compile_reading(answer.response_code, WordKind.GATEWAY_CODE, tables)
        self._approval = optional(answer.approval_code, WordKind.TEXT, tables)
        self._id = optional(answer.id, WordKind.ID, tables)
        network_id = answer.network_transaction_id
        self._network_id = optional(network_id, WordKind.NETWORK_ID, tables)
        self._has_link = answer.link is not None
        self._link = optional(answer.link, WordKind.LINK, tables)
        self._own_path = building.own_path
        self._own = (
            None
            if authorize.reference is None
            else compile_template(parse_template(authorize.reference), environment)
        )
        self._reverse = building.call(
            reverse, WordKind.GATEWAY_CODE, may_repeat=True, needs_answer=reverse.answer is not None
        )
        self._reversed = (
            None if reverse.answer is None else compile_flag(reverse.answer.reversed, tables)
        )
        operations = (
            (OperationKind.CAPTURE, mapping.capture),
            (OperationKind.REFUND, mapping.refund),
        )
        self._operations = {
            kind: OperationCall(part, building) for kind, part in operations if part is not None
        }

    def refer(self, authorization: Authorization) -> str | None:
        """Our own name for the payment, where the mapping makes one."""
        return _rendered(self._own, _paying(authorization))

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Ask for one payment, once."""
        asked = _paying(authorization)
        own = authorization.payment.reference
        if self._own is not None and own:
            asked.reference = own
        return await self._caller.call(self._authorize, asked, self._read)

    def _read(self, answer: Any, asked: Asked) -> GatewayAnswer:
        if isinstance(answer, Refusal):
            return GatewayAnswer(approved=False, response_code=code_of(answer))
        brand = asked.brand
        approved, code = self._approved(answer, brand), self._code(answer, brand)
        if approved is None:
            raise ConnectorFailed(_NO_VERDICT())
        name = self._id(answer, brand)
        reference = self._names(asked, name, self._link(answer, brand))
        return GatewayAnswer(
            approved,
            code or "",
            self._approval(answer, brand),
            reference,
            name,
            network_transaction_id=self._network_id(answer, brand),
        )

    def _names(self, asked: Asked, name: str | None, link: str | None) -> str | None:
        """All that a reversal has to know: our name where we made one, the party's, its link."""
        parts = [] if self._own is None else [asked.reference]
        if self._has_link:
            path = None if link is None else self._own_path(link)
            parts += [name or _NOTHING_KNOWN, path or _NOTHING_KNOWN]
        elif name is not None:
            parts.append(name)
        else:
            return None
        return " ".join(parts)

    async def reverse(self, reversal: Reversal) -> None:
        """Return when the payment is known not to stand."""
        asked = Asked(reversal.request_id, reversal.account_id, reversal)
        asked.payment = reversal.payment
        self._name(asked, reversal.payment)
        await self._caller.call(self._reverse, asked, self._confirm)

    def offer(self, operation: PaymentOperation) -> Offer:
        """Voids, which are reversals, and what the mapping describes."""
        if operation.kind is OperationKind.VOID:
            return Offer.REPEATABLE
        mapped = self._operations.get(operation.kind)
        return Offer.NONE if mapped is None else mapped.offer

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Ask for a capture or a refund."""
        mapped = self._operations[operation.kind]
        asked = Asked(operation.request_id, operation.account_id, operation)
        asked.payment = msgspec.structs.replace(
            operation.payment, amount_minor=operation.amount_minor
        )
        asked.authorized_minor = operation.payment.amount_minor
        self._name(asked, operation.payment)
        return await self._caller.call(mapped.call, asked, mapped.read)

    def _name(self, asked: Asked, payment: Payment) -> None:
        """Name a payment in a request about it, as `_names` noted it."""
        known = payment.reference or ""
        names = known.split(" ")
        if self._has_link and len(names) > 1:
            link = names.pop()
            asked.payment_link = None if link == _NOTHING_KNOWN else link
            known = " ".join(name for name in names if name != _NOTHING_KNOWN)
        own, blank, name = known.partition(" ")
        if blank:
            asked.reference, asked.payment_id = own, name
        elif known and self._own is not None:
            asked.reference = known
        elif known:
            asked.payment_id = known

    def _confirm(self, answer: Any, _asked: Asked) -> None:
        if isinstance(answer, Refusal) or self._reversed is None:
            return
        if not self._reversed(answer, None):
            raise ConnectorFailed(_NOT_REVERSED())


class HttpConnector:
    """A party reached over HTTPS; it offers what its mapping has."""

    def __init__(self, mapping: Mapping, building: Building) -> None:
        self._building = building
        self._caller = building.caller
        self._issuer = None if mapping.precheck is None else HttpIssuer(mapping.precheck, building)
        self._identities = (
            None if mapping.idverify is None else HttpIdentities(mapping.idverify, building)
        )
        self._gateway = (
            None
            if mapping.authorize is None or mapping.reverse is None
            else HttpGateway(mapping, building)
        )
        page, status = mapping.page, mapping.page_status
        self._pages = (
            None
            if page is None or status is None
            else HttpPages(page, status, mapping.charge, building)
        )
        self._health: CompiledCall | None = (
            None
            if mapping.health is None
            else building.call(
                mapping.health, WordKind.RESPONSE_CODE, may_repeat=True, needs_answer=False
            )
        )
        written, environment = mapping.notifications, building.environment
        self._notifications = (
            HttpNotifications(written, environment)
            if written is not None and has_keys(written.signature, environment)
            else None
        )
        self._starting: asyncio.Task[None] | None = None

    @property
    def issuer(self) -> HttpIssuer | None:
        """For PreCheck."""
        return self._issuer

    @property
    def identities(self) -> HttpIdentities | None:
        """For ID Verify."""
        return self._identities

    @property
    def gateway(self) -> HttpGateway | None:
        """For Gateway."""
        return self._gateway

    @property
    def notifications(self) -> HttpNotifications | None:
        """For what the party tells by itself."""
        return self._notifications

    @property
    def pages(self) -> HttpPages | None:
        """For top-ups."""
        return self._pages

    async def check_health(self) -> None:
        """Ask whether the party is there, if the mapping can; or `ConnectorFailed`."""
        if self._health is not None:
            await self._caller.call(self._health, Asked(), nothing)

    async def start(self) -> None:
        """Open a first connection in the background."""
        self._starting = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        try:
            await self._building.client.connect()
        except CallFailed as failure:
            self._caller.problem = said_by(failure)

    async def stop(self) -> None:
        """Let what is in flight end within its time limit, then close every connection."""
        await self._caller.drain()
        if self._starting is not None:
            self._starting.cancel()
        self._building.close()

    def state(self) -> ConnectorState:
        """How it is now."""
        client = self._building.client
        return ConnectorState(client.connections, 0, self._caller.in_flight, self._caller.problem)


def make_http(name: str, definition: HttpDefinition) -> HttpConnector:
    """A connector by its name and definition; `SettingsError` when a secret cannot be read."""
    return HttpConnector(definition.mapping, Building(name, definition))


def _paying(authorization: Authorization) -> Asked:
    asked = Asked(authorization.request_id, authorization.account_id, authorization)
    asked.payment = authorization.payment
    asked.number, asked.expiry = authorization.number, authorization.expiry
    asked.code = authorization.security_code
    asked.postal_code, asked.street = authorization.postal_code, authorization.street
    return asked


def _rendered(template: Render | str | int | None, asked: Asked) -> str | None:
    value = template(asked) if callable(template) else template
    return None if value is None else str(value)
