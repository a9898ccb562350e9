"""The use cases of events on a running server: on a thread, and waiting without one."""

import asyncio
import time
from contextlib import AbstractContextManager

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.events.queries.watching import EventWatch
from gatehouse.admin.events.use_cases.events import (
    EventPage,
    EventQuery,
    PublicEvent,
    get_event,
    read_events,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events.outbox import rebase_if_foreign


class LiveEvents:
    """The use cases for callers of the API."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session
        self._watch = EventWatch(session.database)

    async def start(self) -> None:
        """Make sure that the order of events holds in this database."""
        await self._session.database.write_on_thread(rebase_if_foreign)

    def stop(self) -> None:
        """Answer everybody who waits."""
        self._watch.stop()

    @property
    def waiting(self) -> int:
        """How many callers wait for events."""
        return self._watch.waiting

    def place(self, account_id: str) -> AbstractContextManager[bool]:
        """A place for one more caller of the account that wants to wait; False without one."""
        return self._watch.places.take(account_id)

    async def get(self, actor: Actor, account_id: str, event_id: str) -> PublicEvent:
        """One event."""
        session = self._session.acting_as(actor)
        return await asyncio.to_thread(get_event, session, account_id, event_id)

    async def page(
        self, actor: Actor, account_id: str, query: EventQuery, wait_s: float
    ) -> EventPage:
        """The next events; when there are none, those that come within so many seconds."""
        session, ends_at = self._session.acting_as(actor), time.monotonic() + wait_s
        while True:
            page, place = await asyncio.to_thread(read_events, session, account_id, query)
            left_s = ends_at - time.monotonic()
            if page.events or left_s <= 0:
                return page
            # The cursor has passed what was not wanted.
            query = msgspec.structs.replace(query, after=page.cursor)
            if not page.more and not await self._watch.wait(account_id, place, left_s):
                return page
