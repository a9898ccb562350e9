"""The ASGI application: gives each request an id, turns failures into envelopes, adds the headers,
writes one log line and counts the request.
"""

import asyncio
import logging
import os
import time
import traceback
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Any, Final

from gatehouse.access.addresses import Header
from gatehouse.api import envelope
from gatehouse.api.body import Disconnected, Receive
from gatehouse.api.context import API_REVISION, Reply, RequestContext
from gatehouse.api.docs import markup
from gatehouse.api.docs.pages import HTML
from gatehouse.api.logs import RequestLog
from gatehouse.api.metrics.metrics import Metrics
from gatehouse.api.preferences import STRICT_APPLIED
from gatehouse.api.problems import CODES, Problem
from gatehouse.api.serving.exchange import exchange_of
from gatehouse.api.serving.in_flight import RETRY_SOON
from gatehouse.core.cards.redaction import recordable_trace
from gatehouse.core.clock import Clock
from gatehouse.core.errors import (
    AccountClosed,
    AuthorizationLost,
    CardsAlike,
    ConfigurationRefused,
    RequestRefused,
    StoreUnavailable,
)
from gatehouse.core.ids import new_id
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts.callers import CallerDirectory

_log: Final = logging.getLogger("gatehouse.web")
_CLOSE: Final = ((b"connection", b"close"),)
_ONCE: Final = (b"host", b"content-type", b"x-api-key", b"idempotency-key")
"""Headers of which a second line could mean something else to a proxy than to us."""
_DISCONNECTED: Final = 499
"""The status in logs and metrics of a request whose caller disconnected; it is never sent."""
_REVISION: Final = (b"gatehouse-revision", API_REVISION.encode())
_NO_PAGE: Final = "There is no page at this address."
CONTEXT_KEY: Final = "gatehouse.context"

Send = Callable[[dict[str, Any]], Awaitable[None]]
Life = Callable[[Receive, Send], Awaitable[None]]
Router = Callable[[RequestContext, Receive], Awaitable[Reply]]


class App:
    """The ASGI application."""

    def __init__(
        self,
        routes: Router,
        callers: CallerDirectory,
        clock: Clock,
        metrics: Metrics,
        settings: Settings,
        life: Life | None = None,
    ) -> None:
        self._life = life
        self._routes = routes
        self._callers = callers
        self._clock = clock
        self._metrics = metrics
        self._settings = settings
        self._request_log = RequestLog(
            settings.trusted_proxies, enabled=settings.log_level in ("debug", "info")
        )
        self._fixed_headers = _security_headers(strict_transport=settings.is_production)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request, or live through all of them."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan" and self._life is not None:
                await self._life(receive, send)
            return
        started = time.perf_counter()
        now_ms = self._clock()
        context = RequestContext(scope, new_id("req", now_ms, os.urandom))
        scope[CONTEXT_KEY] = context
        try:
            reply = await self._answer(context, receive)
            status = reply.status
            # A caller that does not read must not hold a slot while its answer waits.
            context.give_slot_back()
            headers = self._headers(context, reply)
            exchange = exchange_of(send)
            if exchange is None or not exchange.answer(status, headers, reply.body):
                await _send(status, headers, reply.body, send)
        except Disconnected:
            status, context.code = _DISCONNECTED, "disconnected"
        finally:
            context.give_slot_back()
            # The two refer to each other, and would both wait for the garbage collector.
            del scope[CONTEXT_KEY]
        seconds = time.perf_counter() - started
        self._metrics.request(context.route, status, context.code, seconds)
        self._request_log.write(context, status, now_ms, seconds)

    async def _answer(self, context: RequestContext, receive: Receive) -> Reply:
        try:
            self._check_limits(context)
            _check_lines(context)
            return await self._routes(context, receive)
        except Problem as problem:
            return await self._refuse(context, problem)
        except RequestRefused as refused:
            return await self._refuse(context, Problem.of(refused))
        except (StoreUnavailable, AuthorizationLost) as error:
            _log.error("no store", extra={"requestId": context.request_id, "reason": str(error)})
            return await self._refuse(context, Problem("store_unavailable", headers=RETRY_SOON))
        except AccountClosed:
            return await self._refuse(context, Problem("account_closed"))
        except CardsAlike as alike:
            return await self._refuse(context, Problem.of_cards(alike.retry_after_ms))
        except ConfigurationRefused:
            # It was logged when it was found.
            return await self._refuse(context, Problem("configuration_refused"))
        except Disconnected:
            raise
        except asyncio.CancelledError:
            # A request is cancelled only by a shutdown whose time limit has passed.
            return await self._refuse(context, Problem("overloaded", headers=RETRY_SOON))
        except Exception as defect:
            trace = recordable_trace("".join(traceback.format_exception(defect)))
            _log.error("a defect", extra={"requestId": context.request_id, "trace": trace})
            return await self._refuse(context, Problem("internal_error"))

    def _check_limits(self, context: RequestContext) -> None:
        headers = context.scope["headers"]
        settings = self._settings
        size = len(context.scope["path"]) + len(context.scope["query_string"])
        if size + sum(map(len, chain.from_iterable(headers))) > settings.max_header_bytes:
            most = f"{settings.max_header_bytes} bytes at most"
            raise Problem("headers_too_large", details=[most])

    async def _refuse(self, context: RequestContext, problem: Problem) -> Reply:
        context.code = problem.code
        if _is_for_a_browser(context):
            said = _NO_PAGE if problem.code == "not_found" else CODES[problem.code].message
            page = markup.refusal(problem.status, said, context.request_id).encode()
            headers = (*problem.headers, *markup.POLICY_HEADERS)
            return Reply(problem.status, page, headers, HTML)
        warnings = context.warnings
        if context.strict and problem.code == "invalid_request":
            problem.add_warnings(warnings)
            warnings = ()
        billed = await self._balance_only(context, problem)
        body = envelope.failure(
            context.request_id, problem, field=context.field, billed=billed, warnings=warnings
        )
        return Reply(problem.status, body, problem.headers)

    async def _balance_only(
        self, context: RequestContext, problem: Problem
    ) -> envelope.Billing | None:
        """The billing object of a refused request: nothing charged, and the true balance."""
        if context.caller is None or problem.status >= 500:
            return None
        account = context.caller.account
        remaining = problem.remaining
        if remaining is None:
            try:
                remaining = await self._callers.remaining(account.account_id)
            except StoreUnavailable:
                return None
        return envelope.billing(account.currency, [], remaining)

    def _headers(self, context: RequestContext, reply: Reply) -> list[Header]:
        headers: list[Header] = [
            (b"content-type", reply.content_type),
            (b"cache-control", reply.cache_control),
            (b"x-request-id", context.trace_id.encode()),
            *self._fixed_headers,
            *reply.headers,
        ]
        if reply.status != 304:
            # The length would be taken for that of the page, which is not sent again.
            headers.append((b"content-length", str(len(reply.body)).encode()))
        if context.caller is not None:
            # Strangers are not told how old a server is.
            headers.append(_REVISION)
        if context.strict:
            headers.append(STRICT_APPLIED)
        allowance = context.allowance
        if allowance is not None:
            headers.append((b"ratelimit-limit", str(allowance.limit).encode()))
            headers.append((b"ratelimit-remaining", str(allowance.remaining).encode()))
            headers.append((b"ratelimit-reset", str(allowance.reset_s).encode()))
        return headers


def _is_for_a_browser(context: RequestContext) -> bool:
    """Whether somebody looks for a page, where none of the API's programs calls."""
    accepted = context.headers.get(b"accept", b"")
    return b"text/html" in accepted and not context.scope["path"].startswith("/api/")


async def _send(status: int, headers: list[Header], body: bytes, send: Send) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def life_of(start: Callable[[], Awaitable[None]], stop: Callable[[], Awaitable[None]]) -> Life:
    """What the server is told to do before and after all requests."""

    async def live(receive: Receive, send: Send) -> None:
        await receive()
        try:
            await start()
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await stop()
        await send({"type": "lifespan.shutdown.complete"})

    return live


def _check_lines(context: RequestContext) -> None:
    headers = context.headers
    if b"host" not in headers and context.scope["http_version"] == "1.1":
        raise Problem("malformed_http", details=["the Host header is missing"], headers=_CLOSE)
    if len(headers) == len(context.scope["headers"]):
        return
    for name in _ONCE:
        if len(context.lines(name)) > 1:
            found = f"the header {name.decode()} is there more than once"
            raise Problem("malformed_http", details=[found], headers=_CLOSE)


def _security_headers(*, strict_transport: bool) -> tuple[Header, ...]:
    headers: tuple[Header, ...] = (
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"no-referrer"),
    )
    if strict_transport:
        headers += ((b"strict-transport-security", b"max-age=31536000; includeSubDomains"),)
    return headers
