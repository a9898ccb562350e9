"""Delivers webhooks beside a running server; several servers share the endpoints by claims.

It looks for new events when it is told that there are some, a few times a second for a while after
that and while it delivers, otherwise now and then, and only while there are webhooks. One server at
a time sends to an endpoint. It begins no attempt that could outlive its claim.
"""

import asyncio
import contextlib
import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.webhooks.queries import claims, deliveries, endpoints
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.worker.endpoint_delivery import ClaimLost, EndpointDelivery
from gatehouse.connectors.webhooks.options import webhook_options
from gatehouse.connectors.webhooks.sending import TIME_LIMIT_S, WebhookSender
from gatehouse.connectors.webhooks.turns import Observe, SendingTurns
from gatehouse.core.errors import GatehouseError, KeyMissing, SealBroken
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.events.news import EventNews, NewsWatch
from gatehouse.store.events.outbox import BEGINNING, EventPlace

_log: Final = logging.getLogger("gatehouse.webhooks")

LOOK_S: Final = 0.25
_IDLE_LOOK_S: Final = 5.0
_AWAKE_S: Final = 2.0
"""How long it looks often after it was told: a transaction that runs may hide what is new."""
_RENEW_S: Final = 5.0
_TIDY_S: Final = 60.0
CLAIM_MS: Final = 45_000
# An attempt must end well before another server may begin one, also if clocks differ a little.
_MARGIN_MS: Final = int(TIME_LIMIT_S * 1000) + 10_000
_MOST_HELD: Final = 256
_MOST_ENDED: Final = 32
"""Idle deliveries that end for others in one look: each is a commit, and requests come first."""

Called = Callable[[str, str, str, float], None]
"""Counts a call of an outside party: who, what, how it ended, and how long it took."""


class _Work(NamedTuple):
    """What one look found."""

    due: set[str]
    """Endpoints that something is to be sent to, whatever was read for them."""
    news: EventNews
    taken: set[str]
    """Endpoints with something to send that another server holds, and will send to."""

    def concerns(self, webhook: KeptWebhook, place: EventPlace = BEGINNING) -> bool:
        """Whether something may be there for an endpoint that was read for up to a place."""
        told = self.news.told_after(webhook.account_id, place)
        return told or webhook.webhook_id in self.due


class WebhookDelivery:
    """Delivers in the background of the server."""

    def __init__(
        self,
        session: AdminSession,
        sender: WebhookSender,
        owner: str,
        retry_s: Iterable[int],
        observe: Observe = lambda seconds, accepted: None,
        *,
        alone: bool = False,
    ) -> None:
        """A server that is `alone` takes over all claims at once."""
        self._takes_over = alone
        self._session = session.acting_as(Actor.system("webhooks"))
        self._sender = sender
        self._owner = owner
        self._retries_ms = tuple(each * 1000 for each in retry_s)
        self._turns = SendingTurns(sender, observe)
        self._endpoints: dict[str, KeptWebhook] = {}
        self._held: dict[str, tuple[EndpointDelivery, asyncio.Task[None]]] = {}
        self._is_changed = True
        self._left: set[str] = set()
        """Endpoints that something was found for and that were not claimed since."""
        self._news = NewsWatch()
        self._wake = asyncio.Event()
        self._awake_until = 0.0

    def changed(self) -> None:
        """Something was configured: look at the endpoints again."""
        self._is_changed = True
        self._wake.set()

    def look_now(self) -> None:
        """There may be new events."""
        if self._endpoints:
            self._awake_until = time.monotonic() + _AWAKE_S
            self._wake.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        try:
            await asyncio.gather(
                repeat(self.look, self._pause_s, "could not look for webhooks to send", self._wake),
                repeat(self.renew, _RENEW_S, "could not renew claims on webhooks"),
                repeat(self.tidy, _TIDY_S, "could not tidy up webhooks"),
            )
        finally:
            await self._end([task for _, task in self._held.values()])
            await self._sender.close()

    async def look(self) -> None:
        """Look once for endpoints with something to send, and begin to deliver to them."""
        if self._takes_over:
            await self._session.database.write_on_thread(claims.release_all)
            self._takes_over = False
        if self._is_changed:
            await self._reload()
        if not self._endpoints:
            return
        work = await self._session.database.read_on_thread(self._find_work)
        self._news.note(work.news)
        for delivery, _ in self._held.values():
            if work.concerns(delivery.webhook, delivery.place):
                delivery.wake.set()
        found = self._to_claim(work)
        # Those that were left come last, or many of them would keep new events waiting.
        wanted = [*found, *(self._left - found)]
        possible = self._endpoints.keys() - self._held.keys() - work.taken
        free = [each for each in wanted if each in possible]
        self._left = {*free}
        room = max(0, _MOST_HELD - len(self._held))
        self._make_room(len(free) - room)
        free = free[:room]
        if free:
            await self._claim(free)
            self._left.difference_update(free)

    def _pause_s(self) -> float:
        busy = self._held or self._left or time.monotonic() < self._awake_until
        return LOOK_S if busy else _IDLE_LOOK_S

    async def renew(self) -> None:
        """Hold the claims for longer; end what is not ours any more."""
        self._drop_ended()
        held = list(self._held)
        if not held:
            return
        until_ms = self._session.clock() + CLAIM_MS
        ours = await self._session.database.write_on_thread(
            lambda c: claims.renew(c, self._owner, held, until_ms)
        )
        for webhook_id in held:
            delivery, task = self._held.get(webhook_id, (None, None))
            if delivery is None or task is None:
                continue
            if webhook_id in ours:
                delivery.may_send_until_ms = until_ms - _MARGIN_MS
            else:
                task.cancel()

    async def tidy(self) -> None:
        """Forget old attempts, and the rows of deleted webhooks."""
        database, now_ms = self._session.database, self._session.clock()
        for webhook_id in await database.read_on_thread(lambda c: claims.deleted(c, now_ms)):
            await self._delete(webhook_id)
        known = [*self._endpoints]
        old = await database.read_on_thread(
            lambda c: deliveries.with_old_attempts(c, known, now_ms)
        )
        if old:
            await database.write_on_thread(lambda c: deliveries.delete_old_attempts(c, old, now_ms))

    async def _delete(self, webhook_id: str) -> None:
        done = False
        while not done:
            done = await self._session.database.write_on_thread(
                lambda c: endpoints.delete_rows(c, webhook_id)
            )
            await asyncio.sleep(LOOK_S)

    async def _reload(self) -> None:
        """Read the endpoints again; end deliveries to those that were changed or are gone."""
        self._is_changed = False
        try:
            found = await self._session.database.read_on_thread(endpoints.enabled)
        except Exception:
            self._is_changed = True
            raise
        before, self._endpoints = self._endpoints, {each.webhook_id: each for each in found}
        await self._end(
            [
                task
                for webhook_id, (delivery, task) in self._held.items()
                if self._changes_of(webhook_id) != delivery.webhook.changes
            ]
        )
        self._drop_ended()
        if self._endpoints.keys() - before.keys():
            # New ones, or the first of this process: something may wait for them already.
            self._news.forget()

    def _changes_of(self, webhook_id: str) -> int | None:
        known = self._endpoints.get(webhook_id)
        return None if known is None else known.changes

    async def _end(self, tasks: list["asyncio.Task[None]"]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _drop_ended(self) -> None:
        """Hold no endpoint whose delivery has ended: a claim that nobody uses must expire.

        A task that is cancelled before it begins ends without a chance to give its claim back.
        """
        for webhook_id, (_, task) in list(self._held.items()):
            if task.done():
                del self._held[webhook_id]

    def _make_room(self, wanted: int) -> None:
        """End some deliveries that only wait, for endpoints that have something to send."""
        idle = (task for delivery, task in self._held.values() if delivery.is_idle)
        for task in itertools.islice(idle, max(0, min(wanted, _MOST_ENDED))):
            task.cancel()

    def _find_work(self, connection: sa.Connection) -> _Work:
        """The endpoints that something is to be sent to, as far as a quick look can tell."""
        news, now_ms = self._news.look(connection), self._session.clock()
        due = {*self._endpoints} if news.told is None else claims.due(connection, now_ms)
        work = _Work(due, news, set())
        # To claim is a transaction that writes, several times a second while there are events.
        unclaimed = [*(self._to_claim(work) | (self._left - self._held.keys()))]
        taken = claims.held(connection, unclaimed, now_ms) if unclaimed else set()
        return work._replace(taken=taken)

    def _to_claim(self, work: _Work) -> set[str]:
        """Endpoints with something to send that this server does not hold."""
        free = self._endpoints.keys() - self._held.keys()
        return {each for each in free if work.concerns(self._endpoints[each])}

    async def _claim(self, webhook_ids: list[str]) -> None:
        now_ms = self._session.clock()
        until_ms = now_ms + CLAIM_MS

        def take(connection: sa.Connection) -> list[KeptWebhook]:
            ours = claims.claim(connection, self._owner, webhook_ids, now_ms, until_ms)
            return [each for each in endpoints.enabled(connection) if each.webhook_id in ours]

        for webhook in await self._session.database.write_on_thread(take):
            try:
                delivery = EndpointDelivery(
                    self._session, webhook, self._owner, self._turns.wait, self._retries_ms
                )
            except (SealBroken, KeyMissing) as error:
                about = {"webhookId": webhook.webhook_id, "reason": str(error)}
                _log.error("a webhook was changed by others; nothing is sent", extra=about)
                self._endpoints.pop(webhook.webhook_id, None)
                continue
            delivery.may_send_until_ms = until_ms - _MARGIN_MS
            task = asyncio.create_task(self._serve(delivery))
            self._held[webhook.webhook_id] = delivery, task

    async def _serve(self, delivery: EndpointDelivery) -> None:
        """Deliver to one endpoint, and give the claim back in the end."""
        webhook_id = delivery.webhook.webhook_id
        try:
            with _logged("could not deliver to a webhook", webhook_id):
                await delivery.run()
        finally:
            try:
                # If that fails, the claim expires.
                with _logged("could not give back a claim", webhook_id):
                    await self._session.database.write_on_thread(
                        lambda c: claims.release(c, self._owner, webhook_id, delivery.cursor)
                    )
            finally:
                self._held.pop(webhook_id, None)
                if delivery.wake.is_set():
                    # Something came for it while it ended.
                    self._left.add(webhook_id)


@contextlib.contextmanager
def _logged(failure: str, webhook_id: str) -> Iterator[None]:
    """Log what fails, and go on."""
    about = {"webhookId": webhook_id}
    try:
        yield
    except ClaimLost:
        _log.info("a webhook was deleted, or its claim ended while it was sent to", extra=about)
    except GatehouseError as error:
        _log.warning(failure, extra=about | {"reason": str(error)})
    except Exception:
        _log.exception(failure, extra=about)


def open_delivery(
    session: AdminSession, settings: Settings, owner: str, called: Called, *, alone: bool
) -> WebhookDelivery:
    """The delivery of a server with these settings."""
    session.actor.check_installation()

    def observe(seconds: float, accepted: bool) -> None:
        called("webhooks", "send", "answered" if accepted else "failed", seconds)

    sender = webhook_options(settings).sender()
    return WebhookDelivery(session, sender, owner, settings.webhook_retry_s, observe, alone=alone)
