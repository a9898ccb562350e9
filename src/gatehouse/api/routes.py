"""The table of routes, and the small ones that are not part of the API proper."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.routing import Route, Router

from gatehouse.api.app import CONTEXT_KEY
from gatehouse.api.body import Receive
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.docs.guides import GuidePages, guides_root
from gatehouse.api.docs.markup import POLICY_HEADERS
from gatehouse.api.docs.pages import HTML, PublicPage
from gatehouse.api.docs.reference import REFERENCES, of_page, read_references
from gatehouse.api.docs.search_index import IndexedSection, encoded_index, indexed_operations
from gatehouse.api.entry import Entry
from gatehouse.api.free_operations import FREE_AT_ONCE, FREE_OF_ACCOUNT, handler_of, operations_of
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.api.manage.desk import ManageDesk, thread_turns
from gatehouse.api.metrics.metrics import Metrics
from gatehouse.api.openapi.document import openapi_document, path_of
from gatehouse.api.unknown_paths import UnknownPaths
from gatehouse.api.v1 import Api, Handler
from gatehouse.connectors.routing.seat import SeatState
from gatehouse.core.subject import written_out_first
from gatehouse.operations.operation import Operation
from gatehouse.sentry.memory.memory import MemoryState
from gatehouse.settings.settings import Settings


class ConnectorsReady(msgspec.Struct, frozen=True):
    """The connectors that were applied; a server with some that are down serves the rest."""

    version: int | None
    states: Mapping[str, SeatState]


class Ready(msgspec.Struct, frozen=True):
    """How the server is, for the machines that watch it."""

    checks: dict[str, bool]
    """If any of these is false, requests should go to another server."""
    memory: MemoryState
    """Good to have: while it is being rebuilt, requests are judged by what is known so far."""
    refused_accounts: int = 0
    """Accounts whose configuration was changed in the database and is refused; other servers would
    refuse it, too."""
    connectors: ConnectorsReady | None = None
    """None when no function is served by connectors that were applied."""
    degraded: Sequence[str] = ()
    """Tasks beside requests that have died lately; `checks` says if requests need one of them."""


Readiness = Callable[[], Ready]


class _Endpoint:
    """A handler as the ASGI application that Starlette's router expects."""

    def __init__(self, path: str, handler: Handler) -> None:
        self.path = path
        self.handler = handler

    async def __call__(self, scope: Any, receive: Receive, _send: object) -> None:
        context: RequestContext = scope[CONTEXT_KEY]
        context.route = self.path
        context.reply = await self.handler(context, receive)


class Routes:
    """Starlette's router, behind a look-up for the operations, whose paths never vary."""

    def __init__(self, routes: list[Route], pages: list[PublicPage], entry: Entry) -> None:
        self._pages = pages
        self._unknown = UnknownPaths(entry, [route.path for route in routes])
        self._router = Router(routes, redirect_slashes=False)
        self._operations = {
            route.path: route.app.handler
            for route in routes
            if "POST" in (route.methods or ())
            and not route.param_convertors
            and isinstance(route.app, _Endpoint)
        }

    def __call__(self, context: RequestContext, receive: Receive) -> Awaitable[Reply]:
        """The answer of the right handler."""
        scope = context.scope
        path = scope["path"]
        operation = self._operations.get(path) if scope["method"] == "POST" else None
        if operation is None:
            return self._find(context, receive)
        context.route = path
        return operation(context, receive)

    async def _find(self, context: RequestContext, receive: Receive) -> Reply:
        # With this, Starlette raises what it finds wrong instead of answering itself.
        context.scope["app"] = self
        try:
            await self._router(context.scope, receive, _no_send)
        except HTTPException as error:
            raise await self._unknown.problem(context, error) from None
        assert context.reply is not None
        return context.reply

    def prepare(self) -> None:
        """Make the pages, which the first reader would wait for."""
        for page in self._pages:
            page.prepare()


async def _no_send(_message: Any) -> None:
    raise AssertionError("endpoints leave a reply; only the application sends")


class Offered(msgspec.Struct, frozen=True):
    """What the API offers, and what answers it."""

    operations: list[Operation]
    entry: Entry
    api: Api
    free: tuple[object, ...]
    """What answers the operations that subjects declare."""
    manage: ManageDesk
    notified: tuple[str, Handler]
    """The path that providers send to, and what takes it; it is no part of the API of accounts."""


def make_routes(
    offered: Offered, ready: Readiness, metrics: Metrics | None, settings: Settings
) -> Routes:
    """All routes of the server; without `metrics` they are served elsewhere."""
    api = offered.api
    guides = GuidePages(guides_root())
    document = cache(lambda: openapi_document(offered.operations))
    pages = _pages(document, settings, guides)
    # Few readers search, and the index is large: it is made when one does.
    index = PublicPage(lambda: encoded_index(_sections(document(), guides)))
    routes = [
        *(_route("POST", path_of(one), api.operation(one)) for one in offered.operations),
        *_free_routes(offered.free, offered.entry),
        *manage_routes(offered.manage),
        _route("POST", *offered.notified),
        _redirect("/", "/docs"),
        _redirect("/docs/guides", "/docs/guides/README"),
        _route("GET", "/docs{name:path}/", _without_slash),
        *(_route("GET", path, page.answer) for path, page in pages.items()),
        _route("GET", "/docs/search.json", index.answer),
        *_probes(ready, metrics),
        _route("GET", "/docs/guides/{name:path}", guides.answer),
    ]
    return Routes(routes, [*pages.values()], offered.entry)


def manage_routes(desk: ManageDesk) -> list[Route]:
    """The routes of the management API."""
    return _by_path((one.address, one.method, desk.handler(one)) for one in all_endpoints())


def _free_routes(holders: Iterable[object], entry: Entry) -> list[Route]:
    """The routes of the operations that subjects declare."""
    turns = thread_turns(FREE_AT_ONCE, FREE_OF_ACCOUNT)
    return _by_path(
        (one.path, one.method, handler_of(one, holder, entry, turns))
        for holder in holders
        for one in operations_of(type(holder))
    )


def _by_path(handlers: Iterable[tuple[str, str, Handler]]) -> list[Route]:
    """One route for all methods of a path, so that a refusal of others names them all."""
    paths: dict[str, dict[str, Handler]] = {}
    for path, method, handler in handlers:
        paths.setdefault(path, {})[method] = handler
    return [
        _route(" ".join(methods), path, _by_method(methods))
        for path, methods in sorted(paths.items(), key=lambda one: written_out_first(one[0]))
    ]


def _by_method(handlers: Mapping[str, Handler]) -> Handler:
    async def handle(context: RequestContext, receive: Receive) -> Reply:
        method = context.scope["method"]
        return await handlers["GET" if method == "HEAD" else method](context, receive)

    return handle


def _redirect(path: str, to: str) -> Route:
    return _plain(path, lambda: _moved(to))


async def _without_slash(context: RequestContext, _receive: Receive) -> Reply:
    return _moved(quote(context.scope["path"].rstrip("/")))


def _moved(to: str) -> Reply:
    return Reply(307, b"", ((b"location", to.encode()),))


def _sections(document: dict[str, Any], guides: GuidePages) -> Iterator[IndexedSection]:
    """What the search of the reference finds on all pages."""
    yield from guides.sections()
    for address, managing in REFERENCES.items():
        yield from indexed_operations(of_page(document, managing=managing), address)


def _pages(
    document: Callable[[], dict[str, Any]], settings: Settings, guides: GuidePages
) -> dict[str, PublicPage]:
    """The API's description, for programs and for people."""

    def described() -> bytes:
        return msgspec.json.format(msgspec.json.encode(document()), indent=2)

    def shown(address: str) -> bytes:
        there = {"/docs": "API reference", "/docs/manage": "Management API"}
        del there[address]
        page = read_references()[address]
        # In production a call costs money, and may be about somebody's card.
        can_try = not settings.is_production
        titles = {**there, **guides.titles}
        return page.shown(settings.base_url, titles, can_try=can_try).encode()

    return {
        "/openapi.json": PublicPage(described),
        **{
            address: PublicPage(partial(shown, address), HTML, POLICY_HEADERS)
            for address in REFERENCES
        },
    }


def _probes(ready: Readiness, metrics: Metrics | None) -> list[Route]:
    """What the machines that watch the service ask."""

    def readiness() -> Reply:
        now = ready()
        good, memory = all(now.checks.values()), now.memory
        body: dict[str, Any] = {
            "status": "ready" if good else "not ready",
            "checks": {**now.checks, "memory": memory.rebuilt and not memory.is_away},
            "memory": {
                "state": _state_of(memory),
                "shared": memory.is_shared,
                "events": memory.events,
                "entities": memory.entities,
                "limit": memory.limit,
            },
            "configuration": {"refusedAccounts": now.refused_accounts},
            "tasks": {"degraded": now.degraded},
        }
        if now.connectors is not None:
            body["connectors"] = _connectors(now.connectors)
        return Reply(200 if good else 503, msgspec.json.encode(body))

    routes = [
        _plain("/healthz", lambda: Reply(200, b'{"status":"ok"}')),
        _plain("/readyz", readiness),
    ]
    if metrics is not None:
        routes.append(_route("GET", "/metrics", _metrics_page(metrics)))
    return routes


def _connectors(ready: ConnectorsReady) -> dict[str, Any]:
    """Without the problems: anybody can ask here. `gatehouse connectors status` tells them."""
    shown = {
        name: {
            "state": "up" if state.up else "down",
            "inFlight": state.in_flight,
            "limit": state.limit,
            "connections": state.connections,
            "breakerOpen": state.breaker_open,
        }
        for name, state in ready.states.items()
    }
    return {"version": ready.version, "connectors": shown}


def _state_of(memory: MemoryState) -> str:
    if memory.is_away:
        return "unavailable"
    if memory.rebuilt:
        return "ready"
    return "empty" if memory.is_shared and not memory.is_being_rebuilt else "rebuilding"


def _metrics_page(metrics: Metrics) -> Handler:
    async def handler(context: RequestContext, _receive: Receive) -> Reply:
        # It takes milliseconds, for which requests should not wait.
        page, content_type = await asyncio.to_thread(metrics.page, context.header(b"accept"))
        return Reply(200, page, (), content_type)

    return handler


def _plain(path: str, make: Callable[[], Reply]) -> Route:
    async def handler(_context: RequestContext, _receive: Receive) -> Reply:
        return make()

    return _route("GET", path, handler)


def _route(methods: str, path: str, handler: Handler) -> Route:
    return Route(path, _Endpoint(path, handler), methods=methods.split())
