"""Reverses payments with an unknown result: after late answers, and after processes that died.

The worker asks the gateway until it confirms the reversal; it never authorizes a payment again.
Several servers share the work. When one dies in the middle, another continues after its claim has
expired, so a gateway may be asked more than once.
"""

import asyncio
import logging
from typing import Final

import msgspec

from gatehouse.core.clock import Clock
from gatehouse.core.errors import StoreUnavailable
from gatehouse.gateway.port import PaymentGateway, Reversal
from gatehouse.store.database import Database
from gatehouse.store.requests import intents
from gatehouse.store.requests.asking_gateway import (
    AT_ONCE,
    CLAIM_MARGIN_MS,
    MOST_ATTEMPTS,
    NoAnswer,
    ask_gateway,
    wait_ms,
)
from gatehouse.store.requests.intents import IntentState, KeptIntent

_log: Final = logging.getLogger("gatehouse.store")

KEPT_MS: Final = 30 * 86_400_000
"""How long a reversed payment stays in the store."""


class ReversalWorker:
    """Reverses payments in the background of the server."""

    def __init__(
        self, database: Database, gateway: PaymentGateway, clock: Clock, *, time_limit_ms: int
    ) -> None:
        self._database = database
        self._gateway = gateway
        self._clock = clock
        self._time_limit_ms = time_limit_ms

    async def reverse_due(self) -> int:
        """Ask for the reversal of due payments; returns how many."""
        now_ms = self._clock()
        # Usually no payment is due: checking must not take the write lock.
        if not await self._database.read_on_thread(lambda c: intents.anything_due(c, now_ms)):
            return 0
        until_ms = now_ms + self._time_limit_ms + CLAIM_MARGIN_MS
        claimed = await self._database.write_on_thread(
            lambda c: intents.claim(c, now_ms, until_ms, AT_ONCE)
        )
        await asyncio.gather(*(self._reverse(intent) for intent in claimed))
        return len(claimed)

    async def tidy(self) -> None:
        """Find payments that a defect left behind, and delete those reversed long ago."""
        database, now_ms = self._database, self._clock()
        if await database.read_on_thread(intents.abandoned):
            found = await database.write_on_thread(lambda c: intents.doubt_abandoned(c, now_ms))
            # Another server may have marked them in between.
            if found:
                _log.error("payments were left behind by their requests", extra={"count": found})
        if await database.read_on_thread(lambda c: intents.anything_to_delete(c, now_ms)):
            await database.write_on_thread(lambda c: intents.delete_old(c, now_ms))

    async def _reverse(self, claimed: KeptIntent) -> None:
        failure = await self._ask(claimed)
        ended = after_attempt(claimed, failure, self._clock())
        try:
            noted = await self._database.write_on_thread(
                lambda c: intents.finish(c, claimed, ended)
            )
        except StoreUnavailable as error:
            # The claim expires and the payment is reversed again, which does no harm.
            _log.warning("could not note a reversal", extra=_about(claimed, str(error)))
            return
        # A payment that was marked for reversal again meanwhile is reported after that reversal.
        if noted:
            _report(ended)

    async def _ask(self, claimed: KeptIntent) -> str | None:
        """Ask the gateway; returns why it failed, or None when the payment is reversed."""
        reversal = Reversal(claimed.request_id, claimed.payment, claimed.account_id)
        call = self._gateway.reverse(reversal)
        answer = await ask_gateway(call, self._time_limit_ms, _about(claimed, None))
        return answer.reason if isinstance(answer, NoAnswer) else None


def after_attempt(claimed: KeptIntent, failure: str | None, now_ms: int) -> KeptIntent:
    """The payment after one more attempt to reverse it."""
    if failure is None:
        state, next_at_ms = IntentState.REVERSED, now_ms + KEPT_MS
    elif claimed.attempts >= MOST_ATTEMPTS:
        state, next_at_ms = IntentState.FAILED, None
    else:
        state, next_at_ms = IntentState.REVERSE, now_ms + wait_ms(claimed.attempts)
    return msgspec.structs.replace(
        claimed,
        state=state,
        next_at_ms=next_at_ms,
        changed_at_ms=now_ms,
        detail=failure or claimed.detail,
    )


def _report(ended: KeptIntent) -> None:
    if ended.state is IntentState.REVERSED:
        _log.info("reversed a payment", extra=_about(ended, ended.detail))
    elif ended.state is IntentState.FAILED:
        _log.error(
            "a payment could not be reversed; look after it and then: gatehouse gateway retry",
            extra=_about(ended, ended.detail),
        )
    else:
        _log.warning("a payment is not reversed yet", extra=_about(ended, ended.detail))


def _about(intent: KeptIntent, reason: str | None) -> dict[str, object]:
    return {
        "requestId": intent.request_id,
        "accountId": intent.account_id,
        "attempts": intent.attempts,
        "reason": reason,
    }
