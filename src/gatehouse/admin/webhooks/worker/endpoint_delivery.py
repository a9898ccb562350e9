"""Delivers to one endpoint, as long as this server holds the claim on it."""

import asyncio
import logging
import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Final

from gatehouse.admin.webhooks.queries import deliveries
from gatehouse.admin.webhooks.queries.deliveries import (
    Attempt,
    EndpointProgress,
    RecordedAttempts,
    WaitingMessage,
)
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.types.endpoint import DisabledBecause
from gatehouse.admin.webhooks.types.schedule import DISABLED_AFTER_MS, DOWN_MS, next_attempt_ms
from gatehouse.admin.webhooks.use_cases.endpoints import disable
from gatehouse.admin.webhooks.worker.batches import BatchReader, MessageBatch, OutgoingMessage
from gatehouse.connectors.webhooks.sending import GONE, SendResult, WebhookMessage
from gatehouse.connectors.webhooks.signing_secrets import signatures
from gatehouse.connectors.webhooks.turns import Send
from gatehouse.core.ids import new_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import wholly
from gatehouse.store.events.outbox import BEGINNING

_log: Final = logging.getLogger("gatehouse.webhooks")

_IDLE_S: Final = 10.0
"""After so long without work, a claim is given back."""
_AT_ONCE: Final = 8
# While nothing waits behind a batch, it is sent slowly, so that requests feel less of it.
_AT_ONCE_AT_LEISURE: Final = 2
_LONGEST_PAUSE_S: Final = 5.0
# Batches have time: the rest between two leaves the database and the event loop to requests.
_REST_S: Final = 0.02
# What was refused waits a little for others: each batch is a commit, and requests need theirs.
_REST_AFTER_REFUSAL_S: Final = 0.1
_NOTED_EVERY_S: Final = 5.0
"""How often it is noted that events were read of which none was sent."""
_BETWEEN_S: Final = 1.0
"""From a batch of few messages to the next one."""
_FEW: Final = 10
"""More are not gathered: a second's worth of them, sent together, would keep requests waiting."""

Turn = Callable[[str], AbstractAsyncContextManager[Send]]
"""Waits until one message of an account may be sent."""
_Sent = list[tuple[OutgoingMessage, SendResult, int]]
"""What was sent, what became of it, and when."""


class ClaimLost(Exception):
    """The endpoint was deleted, or this server stood still until another one took it."""


class EndpointDelivery:
    """Sends what there is to send to one endpoint, until there is nothing for a while."""

    def __init__(
        self,
        session: AdminSession,
        webhook: KeptWebhook,
        owner: str,
        turn: Turn,
        retries_ms: tuple[int, ...],
    ) -> None:
        self.webhook = webhook
        self.wake = asyncio.Event()
        self.may_send_until_ms = 0
        """No attempt begins later, unless the claim is renewed."""
        self.cursor = webhook.cursor
        self.place = BEGINNING
        """All events up to here were read, and what became of them was noted."""
        self._session = session
        self._owner = owner
        self._turn = turn
        self._retries_ms = retries_ms
        self._reader = BatchReader(webhook, session)
        self._secrets = webhook.secrets(session.ring)
        self._failing_since_ms = webhook.failing_since_ms
        self._resume_at_ms = webhook.resume_at_ms
        self._is_due = False
        """Whether something that was tried or left is to be sent now."""
        self._waits = False
        self._noted_at = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether it only waits for something to happen."""
        return self._waits and not self.wake.is_set()

    async def run(self) -> None:
        """Deliver until there is nothing to do for a while; or `ClaimLost`."""
        loop = asyncio.get_running_loop()
        while True:
            await self._pause()
            self.wake.clear()
            batch = await self._session.database.read_on_thread(
                lambda c: self._reader.read(
                    c,
                    self.cursor,
                    self._session.clock(),
                    failing=self._failing_since_ms is not None,
                )
            )
            next_at = loop.time()
            if batch:
                next_at += _BETWEEN_S if len(batch.outgoing) < _FEW else 0.0
                if await self._deliver(batch):
                    return
            elif batch.cursor != self.cursor and next_at >= self._noted_at + _NOTED_EVERY_S:
                # What is passed by must not look as if it waited.
                await wholly(self._record(batch, []))
            else:
                self.cursor, self.place = batch.cursor, batch.place
                self._is_due = False
            if batch.more or self._is_due:
                gathers = not batch.more and not self.webhook.terms.is_ordered
                await asyncio.sleep(_REST_AFTER_REFUSAL_S if gathers else _REST_S)
            elif not await self._is_woken():
                return
            else:
                # What happens meanwhile is sent together: a batch of one costs almost as much.
                await asyncio.sleep(next_at - loop.time())

    async def _pause(self) -> None:
        """Wait as long as the receiver asked us to, and for the claim to be renewed."""
        while True:
            now_ms = self._session.clock()
            left_ms = (self._resume_at_ms or 0) - now_ms
            if left_ms > 0:
                await asyncio.sleep(min(left_ms / 1000, _LONGEST_PAUSE_S))
            elif now_ms >= self.may_send_until_ms:
                await asyncio.sleep(_REST_S)
            else:
                return

    async def _is_woken(self) -> bool:
        self._waits = True
        try:
            async with asyncio.timeout(_IDLE_S):
                await self.wake.wait()
        except TimeoutError:
            return False
        finally:
            self._waits = False
        return True

    async def _deliver(self, batch: MessageBatch) -> bool:
        """Send a batch and note what became of it; whether the endpoint is disabled now."""
        sent: _Sent = []
        try:
            await self._send_all(batch, sent)
        except asyncio.CancelledError:
            # What was accepted need not be sent again.
            await wholly(self._record(batch, sent))
            raise
        # The thread commits in any case. Who left before would give the claim back with an old
        # cursor, and everything after it would be sent again.
        await wholly(self._record(batch, sent))
        because = self._hopeless(sent)
        if because is not None:
            webhook = self.webhook
            await asyncio.to_thread(
                disable, self._session, webhook.account_id, webhook.webhook_id, because
            )
            about = {"webhookId": webhook.webhook_id, "reason": because}
            _log.warning("a webhook is disabled", extra=about)
        return because is not None

    async def _send_all(self, batch: MessageBatch, sent: _Sent) -> None:
        left = iter(batch.outgoing)
        most = _AT_ONCE if batch.more else _AT_ONCE_AT_LEISURE
        at_once = 1 if self.webhook.terms.is_ordered else min(most, len(batch.outgoing))
        if at_once == 1:
            await self._send_each(left, sent)
            return
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(self._send_each(left, sent))

    async def _send_each(self, left: Iterator[OutgoingMessage], sent: _Sent) -> None:
        in_order = self.webhook.terms.is_ordered
        for outgoing in left:
            # The turn comes first: who waits for it long has a claim and a time of before.
            async with self._turn(self.webhook.account_id) as send:
                at_ms = self._session.clock()
                if at_ms >= self.may_send_until_ms or at_ms < (self._resume_at_ms or 0):
                    return
                message_id = outgoing.event.event.id
                signed = signatures(self._secrets, message_id, at_ms, outgoing.body)
                url = self.webhook.terms.url
                result = await send(WebhookMessage(url, message_id, *signed, outgoing.body))
            sent.append((outgoing, result, at_ms))
            self._note_pause(result)
            if in_order and not result.is_accepted:
                return

    def _note_pause(self, result: SendResult) -> None:
        if result.retry_after and not result.is_accepted:
            now_ms = self._session.clock()
            until_ms = now_ms + result.pause_ms(now_ms)
            self._resume_at_ms = max(self._resume_at_ms or 0, until_ms)

    async def _record(self, batch: MessageBatch, sent: _Sent) -> None:
        made = self._recorded(batch, sent)
        noted = await self._session.database.write_on_thread(
            lambda c: deliveries.record(c, self._owner, self.webhook.webhook_id, made)
        )
        if not noted:
            raise ClaimLost
        self._noted_at = asyncio.get_running_loop().time()
        self.cursor = made.progress.cursor
        self.place = batch.place if self.cursor == batch.cursor else BEGINNING
        self._failing_since_ms = made.progress.failing_since_ms

    def _recorded(self, batch: MessageBatch, sent: _Sent) -> RecordedAttempts:
        now_ms = self._session.clock()
        attempts = [self._attempt(*each) for each in sent]
        waiting = [
            self._waiting(outgoing, attempt.number, attempt.next_at_ms)
            for (outgoing, *_), attempt in zip(sent, attempts, strict=True)
            if attempt.next_at_ms is not None
        ]
        done = [
            attempt.event_id
            for (outgoing, *_), attempt in zip(sent, attempts, strict=True)
            if attempt.next_at_ms is None and not outgoing.is_new
        ]
        tried = {each.event_id for each in attempts}
        left = [each for each in batch.outgoing if each.is_new and each.event.event.id not in tried]
        cursor = batch.cursor
        if left and self.webhook.terms.is_ordered:
            new = [outgoing.event.event.id for outgoing, *_ in sent if outgoing.is_new]
            cursor = new[-1] if new else self.cursor
        else:
            waiting += [self._waiting(each, 0, self._resume_at_ms or now_ms) for each in left]
        failing_since_ms, recovered_at_ms = self._failing(attempts, now_ms)
        due = any(each.next_at_ms <= now_ms for each in waiting) or (left and not waiting)
        self._is_due = bool(due) or recovered_at_ms is not None
        return RecordedAttempts(
            EndpointProgress(cursor, failing_since_ms, self._resume_at_ms),
            attempts,
            waiting,
            [*done, *batch.gone],
            recovered_at_ms,
        )

    def _attempt(self, outgoing: OutgoingMessage, result: SendResult, at_ms: int) -> Attempt:
        event, number, next_at_ms = outgoing.event.event, outgoing.attempts + 1, None
        if not result.is_accepted:
            ended_ms = at_ms + result.duration_ms
            share = random.random()  # noqa: S311  # it spreads attempts and protects nothing
            next_at_ms = next_attempt_ms(self._retries_ms, number, ended_ms, share)
            if next_at_ms is not None:
                next_at_ms = max(next_at_ms, self._resume_at_ms or 0)
        return Attempt(
            id=new_id("att", at_ms, secrets.token_bytes),
            webhook_id=self.webhook.webhook_id,
            event_id=event.id,
            type=event.type,
            at_ms=at_ms,
            number=number,
            duration_ms=result.duration_ms,
            status=result.status,
            failure=result.failure,
            next_at_ms=next_at_ms,
        )

    def _waiting(self, outgoing: OutgoingMessage, attempts: int, next_at_ms: int) -> WaitingMessage:
        event_id = outgoing.event.event.id
        return WaitingMessage(
            self.webhook.webhook_id, event_id, *outgoing.event.place, attempts, next_at_ms
        )

    def _failing(self, attempts: list[Attempt], now_ms: int) -> tuple[int | None, int | None]:
        """Since when nothing was accepted, and when it was up again after it had been down."""
        since_ms = self._failing_since_ms
        if any(each.failure is None for each in attempts):
            was_down = since_ms is not None and now_ms - since_ms >= DOWN_MS
            return None, now_ms if was_down else None
        if attempts and since_ms is None:
            since_ms = now_ms
        return since_ms, None

    def _hopeless(self, sent: _Sent) -> DisabledBecause | None:
        if any(result.status == GONE for _, result, _ in sent):
            return DisabledBecause.GONE
        since_ms = self._failing_since_ms
        if since_ms is not None and self._session.clock() - since_ms >= DISABLED_AFTER_MS:
            return DisabledBecause.FAILING
        return None
