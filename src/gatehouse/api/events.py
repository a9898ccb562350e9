"""The routes of events, which are free of charge; a caller may wait for what comes next."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.events.use_cases.events import MOST_AT_ONCE, EventPage, EventQuery, PublicEvent
from gatehouse.admin.events.worker import LiveEvents
from gatehouse.api.body import Disconnected, Receive
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.problems import Problem
from gatehouse.api.query import read_query
from gatehouse.api.serving.in_flight import RETRY_SOON
from gatehouse.core.api_values import DEFAULT_PAGE
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.events import EventName

SCOPE: Final = "events"
LONGEST_WAIT_S: Final = 30
_PARAMETERS: Final = ("after", "types", "limit", "wait")


class EventsResponse(msgspec.Struct, frozen=True, rename="camel"):
    """Some events in their order, and how to go on."""

    events: Annotated[list[PublicEvent], Meta(description="Oldest first.")]
    cursor: Annotated[str, Meta(description="Send it as `after` to get what comes next.")]
    has_more: Annotated[bool, Meta(description="Whether there may be more by now.")]


class EventRoutes:
    """Makes the handlers of these routes."""

    def __init__(self, entry: Entry, events: LiveEvents) -> None:
        self._entry = entry
        self._events = events

    async def listing(self, context: RequestContext, receive: Receive) -> Reply:
        """The next events, or those that come while the caller waits."""
        caller = await self._entry.authenticate(context, SCOPE, "eventsResponse", takes_query=True)
        query, wait_s = _read_query(context.scope["query_string"])
        actor, account_id = caller.actor, caller.account.account_id
        with self._place(account_id) if wait_s else contextlib.nullcontext():
            page = await self._events.page(actor, account_id, query, 0)
            if wait_s and not page.events:
                # One that waits works on nothing, so it must not keep others from being served.
                context.give_slot_back()
                query = msgspec.structs.replace(query, after=page.cursor)
                waiting = self._events.page(actor, account_id, query, wait_s)
                page = await _unless_gone(asyncio.ensure_future(waiting), receive)
                await self._entry.authenticate_again(context, SCOPE)
        shown = EventsResponse(page.events, page.cursor, page.more)
        return await self._entry.answer(context, shown)

    @contextlib.contextmanager
    def _place(self, account_id: str) -> Iterator[None]:
        """A place for a caller that waits; or `overloaded`."""
        with self._events.place(account_id) as has_place:
            if not has_place:
                raise Problem("overloaded", headers=RETRY_SOON)
            yield

    async def event(self, context: RequestContext, _receive: Receive) -> Reply:
        """One event."""
        caller = await self._entry.authenticate(context, SCOPE, "eventResponse")
        event_id: str = context.scope["path_params"]["event_id"]
        try:
            found = await self._events.get(caller.actor, caller.account.account_id, event_id)
        except NotFound:
            raise Problem("not_found", details=["no such event"]) from None
        return await self._entry.answer(context, found)


async def _unless_gone(waiting: "asyncio.Future[EventPage]", receive: Receive) -> EventPage:
    """What is waited for, unless the caller disconnects before."""
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise Disconnected
        return waiting.result()
    finally:
        waiting.cancel()
        gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _read_query(query_string: bytes) -> tuple[EventQuery, int]:
    """What is asked for and how long to wait, or a `Problem` that names every wrong parameter."""
    query = read_query(query_string, _PARAMETERS)
    given, wrong = query.values, dict(query.wrong)
    types: list[EventName] = []
    for name in filter(None, given.get("types", "").split(",")):
        try:
            types.append(EventName(name))
        except ValueError:
            wrong.setdefault("types", [f"must be some of: {', '.join(EventName)}"])
    limit = _number(given.get("limit", str(DEFAULT_PAGE)), 1, MOST_AT_ONCE)
    if limit is None:
        wrong.setdefault("limit", [f"must be a number from 1 to {MOST_AT_ONCE}"])
    wait_s = _number(given.get("wait", "0"), 0, LONGEST_WAIT_S)
    if wait_s is None:
        wrong.setdefault("wait", [f"must be a number of seconds from 0 to {LONGEST_WAIT_S}"])
    try:
        asked = EventQuery(given.get("after"), limit or 1, tuple(types))
    except InvalidInput as refused:
        wrong.setdefault("after", [str(refused)])
    if wrong:
        raise Problem("invalid_request", fields=wrong)
    return asked, wait_s or 0


def _number(text: str, least: int, most: int) -> int | None:
    well_formed = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if well_formed and least <= int(text) <= most else None
