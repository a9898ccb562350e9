"""Sends captures, voids and refunds, each at most once at a time, until their end is known.

Several servers share the work. An operation that was sent is sent again only where its connector
says that the provider does nothing twice; otherwise it stays in doubt until a person, or a message
of the provider, says how it ended.
"""

import asyncio
import logging
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatehouse.core.cards.redaction import recordable, recordable_id
from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed, StoreUnavailable
from gatehouse.gateway.operating import (
    Offer,
    OperationAnswer,
    OperationEnd,
    PaymentOperation,
    offer_of,
    operate,
)
from gatehouse.gateway.port import PaymentGateway
from gatehouse.gateway.sending import SENDS_UNTIL_MS
from gatehouse.store.database import Database
from gatehouse.store.payments import operations
from gatehouse.store.payments.operations import KeptOperation, OperationState, Seal
from gatehouse.store.requests.asking_gateway import (
    AT_ONCE,
    CLAIM_MARGIN_MS,
    MOST_ATTEMPTS,
    NoAnswer,
    ask_gateway,
    wait_ms,
)

_log: Final = logging.getLogger("gatehouse.store")

_LONGEST_TEXT: Final = 512
NOT_OFFERED: Final = "not_offered"
NOT_REPEATABLE: Final = "not_repeatable"


class _Sending(NamedTuple):
    """What came of taking an operation up."""

    ended: KeptOperation
    until_ms: int | None
    """It counts while the operation is claimed until then; None: always, for it was answered."""


class OperationWorker:
    """Works through what was asked for, in the background of the server."""

    def __init__(
        self,
        database: Database,
        gateway: PaymentGateway,
        clock: Clock,
        *,
        time_limit_ms: int,
        seal: Seal,
    ) -> None:
        self._database = database
        self._gateway = gateway
        self._clock = clock
        self._time_limit_ms = time_limit_ms
        self._seal = seal

    async def send_due(self) -> int:
        """Send what is due; returns how many."""
        now_ms = self._clock()
        # Usually nothing is due: checking must not take the write lock.
        if not await self._database.read_on_thread(lambda c: operations.anything_due(c, now_ms)):
            return 0
        until_ms = now_ms + self._time_limit_ms + CLAIM_MARGIN_MS
        claimed = await self._database.write_on_thread(
            lambda c: operations.claim(c, now_ms, until_ms, AT_ONCE, self._seal)
        )
        await asyncio.gather(*(self._send(kept, sent, until_ms) for kept, sent in claimed))
        return len(claimed)

    async def _send(self, kept: KeptOperation, sent: PaymentOperation, until_ms: int) -> None:
        try:
            if (attempt := await self._try(kept, sent, until_ms)) is None:
                return
            ended = replace(attempt.ended, changed_at_ms=self._clock())
            noted = await self._database.write_on_thread(
                lambda c: operations.finish(c, ended, attempt.until_ms)
            )
        except StoreUnavailable as error:
            # The claim expires, and what was sent is in doubt then.
            _log.warning("could not note an operation", extra=_about(kept, str(error)))
            return
        if noted:
            _report(ended)

    async def _try(
        self, kept: KeptOperation, sent: PaymentOperation, until_ms: int
    ) -> _Sending | None:
        """Ask the provider if that is safe; None when others have the operation by then."""
        was_sent = kept.state in (OperationState.SENT, OperationState.IN_DOUBT)
        try:
            offer = offer_of(self._gateway, sent)
        except ConnectorFailed:
            later = _later(kept, "connector_failed", is_doubtful=was_sent, now_ms=self._clock())
            return _Sending(later, until_ms)
        if was_sent and offer is not Offer.REPEATABLE:
            doubt = _ended(kept, OperationState.IN_DOUBT, kept.detail or NOT_REPEATABLE)
            return _Sending(doubt, until_ms)
        if offer is Offer.NONE:
            return _Sending(_ended(kept, OperationState.REFUSED, NOT_OFFERED), until_ms)
        now_ms = self._clock()
        sends_until_ms = now_ms + self._time_limit_ms
        state, ends_ms = OperationState.SENT, sends_until_ms + CLAIM_MARGIN_MS
        sending = replace(kept, state=state, next_at_ms=ends_ms, changed_at_ms=now_ms)
        if not await self._database.write_on_thread(
            lambda c: operations.begin(c, kept, until_ms, sending)
        ):
            return None
        answer: OperationAnswer | NoAnswer = NoAnswer("stood_still", sent=False)
        if self._clock() <= sends_until_ms:
            SENDS_UNTIL_MS.set(sends_until_ms)
            call = operate(self._gateway, sent)
            answer = await ask_gateway(call, self._time_limit_ms, _about(kept, None))
        if not isinstance(answer, NoAnswer):
            return _Sending(_answered(kept, answer), None)
        doubtful = was_sent or answer.sent
        if doubtful and offer is not Offer.REPEATABLE:
            return _Sending(_ended(kept, OperationState.IN_DOUBT, answer.reason), ends_ms)
        later = _later(kept, answer.reason, is_doubtful=doubtful, now_ms=self._clock())
        return _Sending(later, ends_ms)


def _answered(kept: KeptOperation, answer: OperationAnswer) -> KeptOperation:
    """The operation with what the provider said; its texts are kept as codes."""
    code, reference = answer.response_code, answer.party_reference
    code = None if code is None else recordable(code)[:_LONGEST_TEXT]
    reference = None if reference is None else recordable_id(reference[:_LONGEST_TEXT])
    state = OperationState(OperationEnd(answer.end).value)
    ended = _ended(kept, state, None)
    return replace(ended, code=code, party_reference=reference)


def _ended(kept: KeptOperation, state: OperationState, detail: str | None) -> KeptOperation:
    return replace(kept, state=state, next_at_ms=None, detail=detail)


def _later(kept: KeptOperation, reason: str, *, is_doubtful: bool, now_ms: int) -> KeptOperation:
    """The operation as it waits for its next attempt, or after its last one."""
    attempts = kept.attempts + 1
    if attempts >= MOST_ATTEMPTS:
        state = OperationState.IN_DOUBT if is_doubtful else OperationState.REFUSED
        return _ended(kept, state, reason)
    state = OperationState.IN_DOUBT if is_doubtful else OperationState.WAITING
    next_at_ms = now_ms + wait_ms(attempts)
    return replace(kept, state=state, next_at_ms=next_at_ms, detail=reason)


def _report(ended: KeptOperation) -> None:
    if ended.state is OperationState.IN_DOUBT and ended.next_at_ms is None:
        message = "an operation on a payment is in doubt; look after it: gatehouse payments settle"
        _log.error(message, extra=_about(ended, ended.detail))
    elif ended.state in (OperationState.IN_DOUBT, OperationState.WAITING):
        _log.warning("an operation on a payment is not done yet", extra=_about(ended, ended.detail))
    else:
        _log.info("an operation on a payment ended", extra=_about(ended, ended.detail))


def _about(kept: KeptOperation, reason: str | None) -> dict[str, object]:
    return {
        "operationId": kept.id,
        "requestId": kept.request_id,
        "accountId": kept.account_id,
        "kind": kept.kind.value,
        "state": kept.state.value,
        "reason": reason,
    }
