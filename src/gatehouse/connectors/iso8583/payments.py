"""Payments: one 0100 for each, and reversals (0400 or 0420, repeated as 0401 or 0421).

An authorization is never sent twice. What a reversal needs to know of it is in the reference that
is stored with the payment, except the card number, which only this process remembers for a while.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec

from gatehouse.connectors.iso8583.card_values import (
    SaidByKind,
    all_card_values,
    amount_values,
    authentication_values,
    credential_values,
    refuse_other_amount,
)
from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.layout.numbers import (
    PaymentReference,
    age_s,
    local_time,
    rrn_of,
    transmission_time,
)
from gatehouse.connectors.iso8583.link.exchange import Outgoing
from gatehouse.connectors.iso8583.link.pool import LinkPool
from gatehouse.connectors.iso8583.link.recent import Recent
from gatehouse.connectors.iso8583.operations import Iso8583Operations
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.operating import Offer, OperationAnswer, PaymentOperation
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal

_log: Final = logging.getLogger("gatehouse.connectors")
_PARTLY_APPROVED: Final = frozenset({"08", "10", "11", "16", "32", "85", "87"})
"""Approvals of a part, or under conditions: the payment is not taken, so it must be reversed."""
_MOST_REMEMBERED: Final = 10_000
_REMEMBERED_S: Final = 3600.0
_LATE_ATTEMPTS: Final = 3


class PaymentCodes(msgspec.Struct, frozen=True):
    """What the host's response codes mean for payments."""

    approved: frozenset[str] = frozenset({"00"})
    reversed: frozenset[str] = frozenset({"00"})
    not_found: frozenset[str] = frozenset({"25"})
    """The host never heard of the payment that is to be reversed."""
    not_found_after_s: float = 0.0
    """How long after a payment was sent that is not believed, because it may still arrive."""


class _Remembered(msgspec.Struct):
    """What this process knows of a payment beyond what is stored with it."""

    reference: PaymentReference | None
    number: CardNumber | None = None
    """None unless reversals of the dialect have a place for it."""
    is_reversing: bool = False
    """Whether a reversal was sent already: the next one is a repeat."""


class Iso8583Gateway:
    """Authorizes payments and reverses them."""

    def __init__(
        self,
        pool: LinkPool,
        dialect: Dialect,
        clock: Clock,
        codes: PaymentCodes,
    ) -> None:
        self.late_reversed = 0
        """Approvals that came too late and were reversed at once."""
        self.pause_s: Callable[[int], float] = float
        """The time to wait after so many failed attempts to reverse such an approval."""
        self._pool = pool
        self._clock = clock
        self.codes = codes
        self._first, self._repeat = _reversal_kinds(dialect)
        self._original_mti = dialect.mti(MessageKind.AUTHORIZE)
        self._operations = Iso8583Operations(pool, dialect, self._original_mti)
        self._credentials = dialect.definition.stored_credentials
        self._keeps_number = dialect.carries(self._first, Role.NUMBER)
        self._remembered = Recent[_Remembered](most=_MOST_REMEMBERED, kept_s=_REMEMBERED_S)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def reversing(self) -> int:
        """Late approvals that are being reversed."""
        return len(self._tasks)

    def refer(self, authorization: Authorization) -> str:
        """STAN, time and RRN of the authorization that will be sent."""
        return self._new_reference(authorization.request_id).text()

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Ask for one payment."""
        payment, request_id = authorization.payment, authorization.request_id
        reference = PaymentReference.parse(payment.reference) or self._new_reference(request_id)
        number = authorization.number if self._keeps_number else None
        self._remembered.put(request_id, _Remembered(reference, number))
        reversal = Reversal(request_id, payment, authorization.account_id)
        on_late = partial(self._came_late, reversal, reference)
        values = _payment_values(authorization, reference, self._credentials)
        asked = Outgoing(MessageKind.AUTHORIZE, values, on_late)
        answer = (await self._pool.ask(asked)).values
        code = answer.get(Role.RESPONSE_CODE)
        if code is None or (code in _PARTLY_APPROVED and code not in self.codes.approved):
            # A host that approves a part works: three such cards must not open its breaker.
            message = f"the host neither approved nor declined a payment: {code}"
            raise ConnectorFailed(message, answered=code is not None)
        if code not in self.codes.approved:
            self._remembered.pop(request_id)
            return GatewayAnswer(approved=False, response_code=code, payment_id=reference.rrn)
        refuse_other_amount(values, answer)
        reference_text = _after(reference, answer).text()
        approval = answer.get(Role.APPROVAL_CODE)
        network_id = answer.get(Role.TRANSACTION_ID)
        if network_id is not None:
            network_id += answer.get(Role.SETTLEMENT_DATE, "")
        name = reference.rrn
        return GatewayAnswer(True, code, approval, reference_text, name, None, network_id)

    async def reverse(self, reversal: Reversal) -> None:
        """Return when the host says that the payment does not stand."""
        remembered = self._remembered.get(reversal.request_id)
        if remembered is None:
            remembered = _Remembered(None)
            self._remembered.put(reversal.request_id, remembered)
        stored = PaymentReference.parse(reversal.payment.reference)
        reference = stored or remembered.reference
        values = self._reversal_values(reversal, reference)
        if remembered.number is not None:
            values[Role.NUMBER] = remembered.number.reveal()
        answer = await self._ask_to_reverse(remembered, values)
        code = answer.values.get(Role.RESPONSE_CODE)
        if code in self.codes.reversed:
            return
        # A host that was not told what to look for cannot know that there is nothing.
        if code in self.codes.not_found and reference is not None:
            sent_s = age_s(reference.transmitted_at, self._clock() // 1000)
            if sent_s >= self.codes.not_found_after_s:
                return
        raise ConnectorFailed(f"the host does not confirm a reversal: {code}")

    def offer(self, operation: PaymentOperation) -> Offer:
        """How the host takes an operation."""
        return self._operations.offer(operation)

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Ask for a capture or a refund, once."""
        return await self._operations.ask(operation, self.codes.approved, _PARTLY_APPROVED)

    async def _ask_to_reverse(self, remembered: _Remembered, values: dict[Role, str]) -> Unpacked:
        was_sent = remembered.is_reversing
        remembered.is_reversing = True
        kind = self._repeat if was_sent else self._first
        try:
            return await self._pool.ask(Outgoing(kind, values, urgent=True))
        except ConnectorFailed as failure:
            remembered.is_reversing = was_sent or failure.sent
            raise

    async def stop(self) -> None:
        """End what is tried again by itself; `store.requests.reversal_worker` goes on with it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._remembered.clear()

    def _new_reference(self, request_id: str) -> PaymentReference:
        now = transmission_time(self._clock() // 1000)
        return PaymentReference(self._pool.exchange.new_stan(), now, rrn_of(request_id))

    def _reversal_values(
        self, reversal: Reversal, reference: PaymentReference | None
    ) -> dict[Role, str]:
        values = amount_values(reversal.payment)
        values[Role.RRN] = rrn_of(reversal.request_id) if reference is None else reference.rrn
        if reference is not None:
            values |= reference.original_values(self._original_mti)
            values |= local_time(reference.transmitted_at)
        return values

    def _came_late(self, late: Reversal, reference: PaymentReference, answer: Unpacked) -> None:
        """Nobody takes this answer any more: an approval must not stand."""
        code = answer.values.get(Role.RESPONSE_CODE)
        if code in self.codes.approved or code in _PARTLY_APPROVED:
            known = _after(reference, answer.values).text()
            payment = msgspec.structs.replace(late.payment, reference=known)
            reversal = Reversal(late.request_id, payment, late.account_id)
            task = asyncio.get_running_loop().create_task(self._reverse_late(reversal))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _reverse_late(self, reversal: Reversal) -> None:
        about = {"requestId": reversal.request_id, "accountId": reversal.account_id}
        for attempt in range(_LATE_ATTEMPTS):
            await asyncio.sleep(self.pause_s(attempt))
            with suppress(ConnectorFailed):
                await self.reverse(reversal)
                self.late_reversed += 1
                _log.info("reversed a payment whose approval came too late", extra=about)
                return


def _after(reference: PaymentReference, answer: dict[Role, str]) -> PaymentReference:
    """The reference with what the host said about the payment."""
    return reference.answered(
        answer.get(Role.APPROVAL_CODE, ""), answer.get(Role.TRANSACTION_ID, "")
    )


def _reversal_kinds(dialect: Dialect) -> tuple[MessageKind, MessageKind]:
    """The kind of reversal that the dialect has, and how it is repeated."""
    kinds = (MessageKind.REVERSE, MessageKind.REVERSE_REPEAT)
    if MessageKind.REVERSE not in dialect.kinds:
        kinds = (MessageKind.REVERSE_ADVICE, MessageKind.REVERSE_ADVICE_REPEAT)
    first, repeat = kinds
    return first, repeat if repeat in dialect.kinds else first


def _payment_values(
    authorization: Authorization, reference: PaymentReference, said: SaidByKind
) -> dict[Role, str]:
    values = all_card_values(authorization) | amount_values(authorization.payment)
    values[Role.STAN] = reference.stan
    values[Role.RRN] = reference.rrn
    values[Role.TRANSMITTED_AT] = reference.transmitted_at
    if authorization.three_d_secure is not None:
        values |= authentication_values(authorization.three_d_secure)
    if authorization.stored_credential is not None:
        values |= credential_values(authorization.stored_credential, said)
    return values
