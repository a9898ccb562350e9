"""Operations that cost nothing and need what runs on a server: each is declared once.

    class ReviewRoutes:
        @free_operation("GET /reviews/{request_id}", scope="reviews", operation="getReview", ...)
        async def review(self, call: FreeCall[None]) -> Review: ...

Such a class is in the `routes` of a subject, which names what `operations_of` finds in it; an
instance with what its methods need is handed over when the server is built. The docstring is the
summary and the description, what the call is made of is the body, what it returns the answer.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar, get_args, get_type_hints

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.access.actors import Actor
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, read_strictly, refuse_unread
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.manage.desk import problem_of, read_parameters
from gatehouse.api.manage.endpoints import LIMIT, Parameter, path_of
from gatehouse.api.v1 import Handler
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.ids import is_id
from gatehouse.core.limits.turns import Turns

FREE_AT_ONCE: Final = 8
FREE_OF_ACCOUNT: Final = 2
"""So that the slow calls of one account leave threads to the others."""
Body = TypeVar("Body", bound=msgspec.Struct | None)


class FreeCall(msgspec.Struct, Generic[Body], frozen=True):
    """One call of an operation, by an authenticated key."""

    caller: Caller
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Body
    context: RequestContext
    """The request itself, for an operation that waits."""
    receive: Receive

    @property
    def actor(self) -> Actor:
        """The caller as use cases know it."""
        return self.caller.actor

    @property
    def account_id(self) -> str:
        """The account of the key."""
        return self.caller.account.account_id

    @property
    def currency(self) -> str:
        """The account's."""
        return self.caller.account.currency


class FreeOperation(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path."""

    method: str
    path: str
    scope: str
    operation: str
    """The operation's id in OpenAPI."""
    field: str
    """Where in the envelope the answer is."""
    told: str
    """What an answer holds, as the beginning of a sentence."""
    summary: str
    about: str
    body: type[msgspec.Struct] | None
    answer: type[msgspec.Struct]
    run: Callable[[Any, FreeCall[Any]], Awaitable[msgspec.Struct]]
    """A method of the class that declares it."""
    query: tuple[Parameter, ...] = ()
    named: Mapping[str, str] = MappingProxyType({"request_id": "The `requestId` of an answer."})
    """What names in the path stand for."""
    codes: frozenset[str] = frozenset()
    """Codes that not every operation with such a body or path can be refused with."""
    strict: bool = False
    """Whether a field that nothing reads is an error whatever the caller prefers."""
    envelope: str = ""
    """What OpenAPI calls the envelope, where the field has another answer elsewhere."""
    example: Mapping[str, Any] = MappingProxyType({})
    """An answer, where the types do not make a telling one."""
    waits: bool = False
    """Whether it waits on no thread, so that any number of an account's may wait."""
    untitled: bool = False
    """Whether the answer is described without title and sentence, as programs know it."""


Method = Callable[[Any, FreeCall[Any]], Awaitable[msgspec.Struct]]


def free_operation(route: str, **terms: Any) -> Callable[[Method], FreeOperation]:
    """Declare an operation at a path below /api/v1; `terms` are those of `FreeOperation`."""
    method, _, path = route.partition(" ")

    def declare(function: Method) -> FreeOperation:
        hints = get_type_hints(function)
        [body] = get_args(hints["call"])
        summary, _, about = (function.__doc__ or "").partition("\n")
        return FreeOperation(
            method=method,
            path=f"/api/v1{path}",
            summary=summary.removesuffix("."),
            about=" ".join(about.split()),
            body=None if body is type(None) else body,
            answer=hints["return"],
            run=function,
            **terms,
        )

    return declare


def operations_of(kind: type) -> tuple[FreeOperation, ...]:
    """The operations that a class declares, in its order."""
    return tuple(each for each in vars(kind).values() if isinstance(each, FreeOperation))


def handler_of(one: FreeOperation, holder: object, entry: Entry, turns: Turns) -> Handler:
    """The handler of an operation, which an instance of its class does the work of."""
    reader = None if one.body is None else BodyReader(one.body)
    read = read_strictly if one.strict else BodyReader.read

    async def handle(context: RequestContext, receive: Receive) -> Reply:
        caller = await entry.authenticate(
            context, one.scope, one.field, takes_query=bool(one.query)
        )
        body = None
        if reader is not None:
            body = read(reader, context, await entry.body(context, receive))
            refuse_unread(context)
        path = path_of(context)
        query = read_parameters(one.query, context.scope["query_string"])
        try:
            call = FreeCall(caller, path, query, body, context, receive)
            async with nullcontext() if one.waits else turns.take(call.account_id):
                done = await one.run(holder, call)
        except (NotFound, Conflict, InvalidInput) as refused:
            raise problem_of(refused) from None
        return await entry.answer(context, done)

    return handle


def _request_id(text: str) -> str:
    if not is_id(text, "req"):
        raise ValueError("must be a requestId, as in the last decision of a page")
    return text


PAGE: Final = (
    LIMIT,
    Parameter(
        "startingAfter",
        "The last `requestId` of the page before.",
        {"type": "string", "pattern": "^req_[0-7][0-9a-hjkmnp-tv-z]{25}$"},
        _request_id,
    ),
)
"""The parameters of a list of requests that is read page by page."""
