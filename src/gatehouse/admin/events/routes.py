"""Events for programs that read them; a caller may wait for what comes next."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec

from gatehouse.admin.events.use_cases.events import MOST_AT_ONCE, EventPage, EventQuery, PublicEvent
from gatehouse.admin.events.worker import LiveEvents
from gatehouse.api.body import Disconnected, Receive
from gatehouse.api.entry import Entry
from gatehouse.api.free_operations import FreeCall, free_operation, operations_of
from gatehouse.api.manage.endpoints import Parameter, whole_number
from gatehouse.api.problems import Problem
from gatehouse.api.serving.in_flight import RETRY_SOON
from gatehouse.core.api_values import DEFAULT_PAGE, CamelStruct, doc
from gatehouse.core.errors import InvalidFields, InvalidInput
from gatehouse.core.events import MEANINGS, EventName

LONGEST_WAIT_S: Final = 30
_SCOPE: Final = "events"
_EXAMPLE: Final[dict[str, Any]] = {
    "id": "evt_01k9mh3c5zf4x8t0h3n6q2w7ya",
    "type": "balance.low",
    "createdAt": "2026-11-16T10:00:00.000Z",
    "actor": "key:key_01k9mh2qwe7v1s5d8r4b3n6m0c",
    "data": {
        "remaining": {"currency": "USD", "amount": 4.95},
        "threshold": {"currency": "USD", "amount": 5},
    },
}


def _types(text: str) -> tuple[EventName, ...]:
    try:
        return tuple(EventName(name) for name in text.split(",") if name)
    except ValueError:
        raise ValueError(f"must be some of: {', '.join(EventName)}") from None


def _wait(text: str) -> int:
    try:
        return whole_number(0, LONGEST_WAIT_S)(text)
    except ValueError:
        told = f"must be a number of seconds from 0 to {LONGEST_WAIT_S}"
        raise ValueError(told) from None


_QUERY: Final = (
    Parameter(
        "after", "The `cursor` of an earlier answer.", {"type": "string", "maxLength": 64}, str
    ),
    Parameter(
        "types",
        "Only these types, with commas between them.",
        {
            "type": "string",
            "description": "\n".join(f"- `{name}`: {told}" for name, told in MEANINGS.items()),
            "examples": ["review.opened,balance.low"],
        },
        _types,
        (),
    ),
    Parameter(
        "limit",
        "Size of a page.",
        {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE, "default": DEFAULT_PAGE},
        whole_number(1, MOST_AT_ONCE),
        DEFAULT_PAGE,
    ),
    Parameter(
        "wait",
        "Seconds to wait for an event if there is none.",
        {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT_S, "default": 0},
        _wait,
        0,
    ),
)


class EventsResponse(CamelStruct):
    """Some events in their order, and how to go on."""

    events: Annotated[list[PublicEvent], doc("Oldest first.")]
    cursor: Annotated[str, doc("Send it as `after` to get what comes next.")]
    has_more: Annotated[bool, doc("Whether there may be more by now.")]


class EventRoutes:
    """Answers calls about events."""

    def __init__(self, entry: Entry, events: LiveEvents) -> None:
        self._entry = entry
        self._events = events

    @free_operation(
        "GET /events",
        scope=_SCOPE,
        operation="listEvents",
        field="eventsResponse",
        told="A page of events",
        query=_QUERY,
        codes=frozenset({"not_found"}),
        waits=True,
        example={"events": [_EXAMPLE], "cursor": _EXAMPLE["id"], "hasMore": False},
    )
    async def listing(self, call: FreeCall[None]) -> EventsResponse:
        """Events.

        What happened to the account, oldest first. Each event comes at least once to a reader that
        goes on from its last `cursor`. Without `types`, these are the ones that the key may read:
        whole requests need the scope `decisions` or, of reviews, `reviews`, and money `billing`.
        """
        after, types, limit, wait_s = (call.query[each.name] for each in _QUERY)
        try:
            query = EventQuery(after, limit, types)
        except InvalidInput as refused:
            raise InvalidFields({"after": [str(refused)]}) from None
        about = call.actor, call.account_id
        with self._place(call.account_id) if wait_s else contextlib.nullcontext():
            page = await self._events.page(*about, query, 0)
            if wait_s and not page.events:
                # One that waits works on nothing, so it must not keep others from being served.
                call.context.give_slot_back()
                query = msgspec.structs.replace(query, after=page.cursor)
                waiting = asyncio.ensure_future(self._events.page(*about, query, wait_s))
                page = await _unless_gone(waiting, call.receive)
                await self._entry.authenticate_again(call.context, _SCOPE)
        return EventsResponse(page.events, page.cursor, page.more)

    @contextlib.contextmanager
    def _place(self, account_id: str) -> Iterator[None]:
        """A place for a caller that waits; or `overloaded`."""
        with self._events.place(account_id) as has_place:
            if not has_place:
                raise Problem("overloaded", headers=RETRY_SOON)
            yield

    @free_operation(
        "GET /events/{event_id}",
        scope=_SCOPE,
        operation="getEvent",
        field="eventResponse",
        told="The event",
        named={"event_id": "The `id` of an event."},
        example=_EXAMPLE,
    )
    async def event(self, call: FreeCall[None]) -> PublicEvent:
        """One event.

        One event of the account.
        """
        return await self._events.get(call.actor, call.account_id, call.path["event_id"])


OPERATIONS: Final = operations_of(EventRoutes)


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
