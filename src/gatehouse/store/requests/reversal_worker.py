"""Takes payments back whose end is not known: those of late answers and of processes that died.

A payment is asked to be reversed until the gateway knows that it does not stand. It is never
authorized again. Several servers share the work; a server that dies in the middle leaves a payment
to the others when its claim has run out, which is why a gateway may be asked more than once.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed, StoreUnavailable
from gatehouse.core.timeouts import with_timeout
from gatehouse.gateway.payment import Payment
from gatehouse.gateway.port import PaymentGateway, Reversal
from gatehouse.store.database import Database
from gatehouse.store.requests import intents
from gatehouse.store.requests.intents import IntentState, KeptIntent

_log: Final = logging.getLogger("gatehouse.store")

T = TypeVar("T")

REVERSE_EVERY_S: Final = 1.0
MOST_ATTEMPTS: Final = 150
"""At ten minutes each for about a day."""
KEPT_MS: Final = 30 * 86_400_000
"""How long a reversed payment can still be looked up."""
_LONGEST_WAIT_S: Final = 600
_AT_ONCE: Final = 16
_CHORES_EVERY: Final = 60
# A claim outlives the time limit by this much, so that clocks that differ a little between servers
# and a slow database do not make two of them ask at the same time.
_CLAIM_MARGIN_MS: Final = 30_000


class ReversalWorker:
    """Runs beside the requests."""

    def __init__(
        self, database: Database, gateway: PaymentGateway, clock: Clock, *, time_limit_ms: int
    ) -> None:
        self._database = database
        self._gateway = gateway
        self._clock = clock
        self._time_limit_ms = time_limit_ms

    async def run(self) -> None:
        """Reverse until cancelled."""
        turns = 0
        while True:
            try:
                if turns % _CHORES_EVERY == 0:
                    await self.tidy()
                while await self.reverse_due():
                    pass
            except StoreUnavailable as error:
                _log.warning("could not reverse payments", extra={"reason": str(error)})
            except Exception:
                # Whatever it was, the next turn may go well; payments must not stand for ever.
                _log.exception("could not reverse payments")
            turns += 1
            await asyncio.sleep(REVERSE_EVERY_S)

    async def reverse_due(self) -> int:
        """Ask for the reversal of payments that are due; returns how many were asked for."""
        claimed = await _on_a_thread(self._claim)
        await asyncio.gather(*(self._reverse(intent) for intent in claimed))
        return len(claimed)

    async def tidy(self) -> None:
        """Find payments that a defect left behind, and forget those reversed long ago."""
        found = await _on_a_thread(self._doubt_abandoned)
        if found:
            _log.error("payments were left behind by their requests", extra={"count": found})
        await _on_a_thread(self._forget)

    async def _reverse(self, claimed: KeptIntent) -> None:
        failure = await self._ask(claimed)
        ended = after_attempt(claimed, failure, self._clock())
        try:
            noted = await _on_a_thread(
                lambda: self._write(lambda c: intents.finish(c, claimed, ended))
            )
        except StoreUnavailable as error:
            # The claim runs out and the payment is reversed again, which does no harm.
            _log.warning("could not note a reversal", extra=_about(claimed, str(error)))
            return
        # Otherwise the payment was put in doubt again meanwhile, and its next reversal counts.
        if noted:
            _report(ended)

    async def _ask(self, claimed: KeptIntent) -> str | None:
        """Ask the gateway; returns why it failed, or None when the payment does not stand."""
        payment = Payment(claimed.amount_minor, claimed.currency)
        reversal = Reversal(claimed.request_id, payment, claimed.account_id)
        try:
            await with_timeout(self._time_limit_ms / 1000, self._gateway.reverse(reversal))
        except TimeoutError:
            return "timeout"
        except ConnectorFailed:
            return "connector_failed"
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return "defect"  # the connector cancelled itself; nobody else wanted it
        except Exception:
            _log.exception("a gateway connector is defective", extra=_about(claimed, "defect"))
            return "defect"
        return None

    def _claim(self) -> list[KeptIntent]:
        now_ms = self._clock()
        # Most of the time there is nothing: finding that out must not take the writer's lock.
        with self._database.reading() as connection:
            if not intents.anything_due(connection, now_ms):
                return []
        until_ms = now_ms + self._time_limit_ms + _CLAIM_MARGIN_MS
        return self._write(lambda c: intents.claim(c, now_ms, until_ms, _AT_ONCE))

    def _doubt_abandoned(self) -> int:
        with self._database.reading() as connection:
            if not intents.abandoned(connection):
                return 0
        return self._write(lambda c: intents.doubt_abandoned(c, self._clock()))

    def _forget(self) -> int:
        now_ms = self._clock()
        with self._database.reading() as connection:
            if not intents.anything_to_forget(connection, now_ms):
                return 0
        return self._write(lambda c: intents.forget(c, now_ms))

    def _write(self, work: Callable[[sa.Connection], T]) -> T:
        with self._database.writing() as connection:
            return work(connection)


def after_attempt(claimed: KeptIntent, failure: str | None, now_ms: int) -> KeptIntent:
    """What a payment is after one more attempt at its reversal."""
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


def wait_ms(attempts: int) -> int:
    """How long to wait after so many attempts: twice as long each time, up to ten minutes."""
    return min(1 << min(attempts - 1, 20), _LONGEST_WAIT_S) * 1000


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


async def _on_a_thread(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, work)
