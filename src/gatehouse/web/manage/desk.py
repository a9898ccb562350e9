"""Serves the endpoints of the management API: reads a call, runs its use case, renders the answer.

Use cases run on threads and few at a time, so that requests about payments never wait for them.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from gatehouse.admin import repeated_calls
from gatehouse.admin.repeated_calls import KeptAnswer
from gatehouse.admin.webhooks.options import WebhookOptions, webhook_options
from gatehouse.core import keyring
from gatehouse.core.errors import AccountClosed, Conflict, InvalidInput, NotFound
from gatehouse.core.request_reader import read_json
from gatehouse.core.yaml_document import DocumentRefused
from gatehouse.pipeline.settlement import Claim
from gatehouse.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.configurations import StaleVersion
from gatehouse.store.jobs import TooManyJobs
from gatehouse.web.body import Receive
from gatehouse.web.body_reader import BodyReader, refuse_unread
from gatehouse.web.context import Reply, RequestContext
from gatehouse.web.entry import Entry
from gatehouse.web.in_flight import RETRY_SOON
from gatehouse.web.manage.endpoints import ManageCall, ManageEndpoint, Precondition, Tagged
from gatehouse.web.problems import Problem
from gatehouse.web.query import read_query
from gatehouse.web.v1 import (
    REPLAYED,
    Handler,
    Repetitions,
    cannot_repeat,
    idempotency_key,
)

MOST_WAITING: Final = 8
"""Calls that are read, wait or run; each may hold a large body."""
_AT_ONCE: Final = 2
_ETAG: Final = re.compile(r'"([0-9]{1,9})"')
_canonical: Final = msgspec.json.Encoder(order="sorted").encode
_COMMAND: Final = re.compile(r"gatehouse [a-z]|--[a-z]")


class DeskOptions(msgspec.Struct, frozen=True):
    """What settings say about the management API."""

    default_rate: int
    """The rate limit of keys without one of their own."""
    webhooks: WebhookOptions
    kept_ms: int
    """How long answers are kept for repeated calls."""


def desk_options(settings: Settings) -> DeskOptions:
    """The options of these settings."""
    return DeskOptions(
        settings.rate_limit_per_second,
        webhook_options(settings),
        settings.idempotency_ttl_h * 3_600_000,
    )


class ManageDesk:
    """Makes the handlers of the endpoints."""

    def __init__(
        self,
        entry: Entry,
        session: AdminSession,
        changed: Callable[[], Awaitable[object]],
        options: DeskOptions,
    ) -> None:
        """`changed` has this server look at what is configured, before the caller is answered."""
        self._options = options
        self._entry = entry
        self._session = session
        self._changed = changed
        self._present = 0
        self._running = asyncio.Semaphore(_AT_ONCE)
        hashing_key = session.ring.current(keyring.IDEMPOTENCY)[1]
        self._repetitions = Repetitions(hashing_key, options.kept_ms)

    def handler(self, endpoint: ManageEndpoint) -> Handler:
        """The handler of one endpoint."""
        reader = None if endpoint.body is None else BodyReader(endpoint.body)

        async def handle(context: RequestContext, receive: Receive) -> Reply:
            caller = await self._entry.authenticate(
                context, endpoint.scope, endpoint.field, takes_query=bool(endpoint.query)
            )
            if self._present >= MOST_WAITING:
                raise Problem("overloaded", headers=RETRY_SOON)
            self._present += 1
            try:
                raw, body = await self._read_body(endpoint, reader, context, receive)
                call = ManageCall(
                    session=self._session.acting_as(caller.actor),
                    caller=caller,
                    path=context.scope.get("path_params", {}),
                    query=_read_query(endpoint, context.scope["query_string"]),
                    body=body,
                    default_rate=self._options.default_rate,
                    webhooks=self._options.webhooks,
                    precondition=_precondition(context) if endpoint.guarded else Precondition(),
                )
                if endpoint.changes and b"idempotency-key" in context.headers:
                    return await self._once(endpoint, call, context, raw)
                return await self._answer(context, await self._run(endpoint, call))
            finally:
                self._present -= 1

        return handle

    async def _once(
        self, endpoint: ManageEndpoint, call: ManageCall, context: RequestContext, raw: bytes
    ) -> Reply:
        """The answer of a call that may be repeated: with its key it is done once."""
        about = (call.session, call.account_id, self._claim(endpoint, call, context, raw))
        known = await asyncio.to_thread(repeated_calls.begin, *about, context.request_id)
        if isinstance(known, KeptAnswer):
            return _with_version(Reply(200, known.body.encode(), REPLAYED), known.version)
        if known is not None:
            raise cannot_repeat(known)
        try:
            done = await self._run(endpoint, call)
        except Exception:
            await asyncio.to_thread(repeated_calls.give_up, *about, context.request_id)
            raise
        reply = await self._answer(context, done)
        kept = KeptAnswer(reply.body.decode(), done.version if isinstance(done, Tagged) else None)
        await asyncio.to_thread(repeated_calls.finish, *about, context.request_id, kept)
        return reply

    def _claim(
        self, endpoint: ManageEndpoint, call: ManageCall, context: RequestContext, raw: bytes
    ) -> Claim:
        """The call's idempotency key, and all that would make another call of it."""
        scope = f"{call.account_id} {endpoint.operation} ".encode()
        content = _canonical((call.path, call.query, call.precondition, read_json(raw)))
        key = idempotency_key(context) or b""
        return self._repetitions.claim(scope + key, content, call.session.clock())

    async def _read_body(
        self,
        endpoint: ManageEndpoint,
        reader: BodyReader[Any] | None,
        context: RequestContext,
        receive: Receive,
    ) -> tuple[bytes, Any]:
        """The body as it was sent, and as it is read."""
        if reader is None:
            return b"null", None
        raw = await self._entry.body(context, receive, endpoint.most_bytes)
        body = reader.read(context, raw)
        refuse_unread(context)
        return raw, body

    async def _run(self, endpoint: ManageEndpoint, call: ManageCall) -> Any:
        try:
            async with self._running:
                done = await asyncio.to_thread(endpoint.run, call)
        except (NotFound, Conflict, InvalidInput) as refused:
            raise problem_of(refused) from None
        if endpoint.changes and not call.dry_run:
            await self._changed()
        return done

    async def _answer(self, context: RequestContext, done: Any) -> Reply:
        if not isinstance(done, Tagged):
            return await self._entry.answer(context, done)
        return _with_version(await self._entry.answer(context, done.answer), done.version)


def _with_version(reply: Reply, version: int | None) -> Reply:
    """An answer with the version that it shows."""
    if version is None:
        return reply
    headers = (*reply.headers, (b"etag", b'"%d"' % version))
    return msgspec.structs.replace(reply, headers=headers)


def problem_of(refused: NotFound | Conflict | InvalidInput) -> Problem:
    """The answer to a call that a use case refused."""
    if isinstance(refused, AccountClosed):
        return Problem("account_closed")
    if isinstance(refused, DocumentRefused):
        flaws = [str(flaw) for flaw in refused.flaws]
        return Problem("invalid_request", fields={"document": flaws})
    lines = [without_commands(line) for line in str(refused).splitlines()]
    details = [line for line in lines if line]
    if isinstance(refused, NotFound):
        return Problem("not_found", details=details)
    if isinstance(refused, StaleVersion):
        return Problem("precondition_failed", details=details)
    if isinstance(refused, TooManyJobs):
        return Problem("too_many_jobs", details=details, headers=((b"retry-after", b"30"),))
    code = "conflict" if isinstance(refused, Conflict) else "invalid_request"
    return Problem(code, details=details)


def without_commands(text: str) -> str:
    """A message without the parts that tell an operator which command to type."""
    kept = [part for part in text.split("; ") if not _COMMAND.search(part)]
    return "; ".join(kept)


def _read_query(endpoint: ManageEndpoint, query_string: bytes) -> dict[str, Any]:
    """The parameters with their values or defaults, or a `Problem` that names every wrong one."""
    known = {each.name: each for each in endpoint.query}
    found = read_query(query_string, known)
    values, wrong = {}, dict(found.wrong)
    for name, parameter in known.items():
        values[name] = parameter.default
        if name in found.values and name not in wrong:
            try:
                values[name] = parameter.read(found.values[name])
            except ValueError as error:
                wrong[name] = [str(error)]
    if wrong:
        raise Problem("invalid_request", fields=wrong)
    return values


def _precondition(context: RequestContext) -> Precondition:
    match, none_match = context.header(b"if-match"), context.header(b"if-none-match")
    if none_match is not None:
        if none_match.strip() != "*" or match is not None:
            told = "If-None-Match can only be *, without If-Match"
            raise Problem("invalid_request", details=[told])
        return Precondition(must_be_new=True)
    if match is None:
        return Precondition()
    if match.strip() == "*":
        return Precondition(any_version=True)
    version = _ETAG.fullmatch(match.strip())
    if version is None:
        told = 'If-Match must be one ETag as it was given, such as "3", or *'
        raise Problem("invalid_request", details=[told])
    return Precondition(version=int(version[1]))
