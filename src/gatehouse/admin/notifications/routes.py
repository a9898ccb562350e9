"""Takes what providers send: proves it, keeps it, and answers; it is applied afterwards."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from gatehouse.admin.notifications import queries
from gatehouse.admin.notifications.types import (
    MOST_A_SECOND,
    MOST_BYTES,
    KeptNotification,
    NotificationState,
)
from gatehouse.admin.notifications.use_cases.installation import PATH, address_of
from gatehouse.api.body import Receive
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.problems import Problem
from gatehouse.connectors.definition import Configuration
from gatehouse.core.ids import new_id
from gatehouse.gateway.notifying import NotificationRefused, ProviderNotification
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.store.admin.admin_session import AdminSession

_log: Final = logging.getLogger("gatehouse.notifications")
_TAKEN: Final = Reply(200, b'{"received":true}')


class NotificationRoute:
    """One path for each connector; no key is sent, so that only the signature counts."""

    path: Final = f"{PATH}{{connector}}"

    def __init__(
        self,
        session: AdminSession,
        entry: Entry,
        connectors: LiveConnectors | None,
        kept: Callable[[], None],
    ) -> None:
        """`kept` is told when there is something to apply."""
        self._session = session
        self._entry = entry
        self._roster = None if connectors is None else connectors.roster
        self._kept = kept
        self._known: tuple[Configuration, Mapping[str, str]] | None = None

    async def handle(self, context: RequestContext, receive: Receive) -> Reply:
        """Keep what a message tells, each notification once; the same again changes nothing."""
        self._entry.admit(context)
        address = context.scope["path_params"]["connector"]
        name = self._names().get(address)
        seat = None if name is None or self._roster is None else self._roster.seat(name)
        if seat is None or seat.notifications is None:
            raise Problem("not_found")
        body = await self._entry.body(context, receive, MOST_BYTES)
        now_ms = self._session.clock()
        told: Sequence[ProviderNotification]
        problem = None
        try:
            told = seat.notifications.read(context.headers, body, now_ms / 1000)
        except NotificationRefused as refused:
            about = {"connector": seat.name, "reason": str(refused)}
            _log.warning("a notification was refused", extra=about)
            if not refused.proved:
                raise Problem("invalid_signature") from None
            told, problem = refused.told, Problem("malformed_body", details=[str(refused)])
        # What is not proved must not use up what the provider may send.
        self._entry.limit(context, f"notifications of {seat.name}", MOST_A_SECOND)
        if told:
            await self._keep(seat.name, told, now_ms)
        if problem is not None:
            # It is sent again, and by then the mapping may read it; the others do not wait for it.
            raise problem
        return _TAKEN

    async def _keep(
        self, connector: str, told: Sequence[ProviderNotification], now_ms: int
    ) -> None:
        rows = [self._row(connector, each, now_ms) for each in told]
        write = self._session.database.write_on_thread
        if await write(lambda connection: queries.keep(connection, rows)):
            self._kept()

    def _row(self, connector: str, told: ProviderNotification, now_ms: int) -> KeptNotification:
        return KeptNotification(
            id=new_id("ntf", now_ms, self._session.randomness),
            connector=connector,
            name=told.name,
            event=told.event,
            state=NotificationState.WAITING,
            content=msgspec.json.encode(told).decode(),
            received_at_ms=now_ms,
            changed_at_ms=now_ms,
            at_ms=told.at_ms,
            next_at_ms=now_ms,
            about=told.case,
        )

    def _names(self) -> Mapping[str, str]:
        """The connectors in use by their addresses."""
        if self._roster is None:
            return {}
        configuration = self._roster.configuration
        if self._known is None or self._known[0] is not configuration:
            ring = self._session.ring
            names = {address_of(ring, name): name for name in configuration.connectors}
            self._known = (configuration, names)
        return self._known[1]
