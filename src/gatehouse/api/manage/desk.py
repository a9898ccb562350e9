"""Serves the endpoints of the management API: reads a call, runs its use case, renders the answer.

Use cases run on threads and few at a time, so that requests about payments never wait for them.
"""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import msgspec

from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, refuse_unread
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint, Parameter, path_of
from gatehouse.api.manage.repeats import repeatable
from gatehouse.api.problems import Problem
from gatehouse.api.query import read_query
from gatehouse.api.repetitions import Repetitions
from gatehouse.api.serving.in_flight import RETRY_SOON
from gatehouse.api.v1 import Handler
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.documents.yaml_document import DocumentRefused
from gatehouse.core.errors import (
    AccountClosed,
    Conflict,
    InvalidFields,
    InvalidInput,
    NotFound,
    RightMissing,
    VersionNotNamed,
)
from gatehouse.core.limits.places import Places
from gatehouse.core.limits.turns import Turns
from gatehouse.core.secrets import keyring
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import Precondition, Tagged
from gatehouse.store.configured.configurations import StaleVersion
from gatehouse.store.jobs import TooManyJobs

MOST_WAITING: Final = 8
"""Calls that are read, wait or run; each may hold a large body."""
MOST_OF_ACCOUNT: Final = 5
"""So that slow bodies of one account keep no other from managing."""
_AT_ONCE: Final = 3
_AT_ONCE_OF_ACCOUNT: Final = 2
"""So that its slow calls leave a thread to the others."""
MOST_OUTSIDE: Final = 32
"""Calls that wait for somebody outside; they have small bodies, and hold up no others."""
MOST_OUTSIDE_OF_ACCOUNT: Final = 5
_LONGEST_WAIT_S: Final = 30.0
_MOST_PRESENT: Final = 32
"""Of an account: each takes the place of a request in flight, and checks must not wait."""
_ETAG: Final = re.compile(r'"([0-9]{1,9})"')


class ManageDesk:
    """Makes the handlers of the endpoints."""

    def __init__(
        self,
        entry: Entry,
        session: AdminSession,
        changed: Callable[[], Awaitable[object]],
    ) -> None:
        """`changed` has this server look at what is configured, before the caller is answered."""
        self._entry = entry
        self._session = session
        self._changed = changed
        self._places = Places(MOST_WAITING, MOST_OF_ACCOUNT)
        self._outside = Places(MOST_OUTSIDE, MOST_OUTSIDE_OF_ACCOUNT)
        self._turns = thread_turns(_AT_ONCE, _AT_ONCE_OF_ACCOUNT)
        hashing_key = session.ring.current(keyring.IDEMPOTENCY)[1]
        self._repetitions = Repetitions(hashing_key, session.settings.idempotency_ttl_h * 3_600_000)

    def handler(self, endpoint: ManageEndpoint) -> Handler:
        """The handler of one endpoint."""
        reader = None if endpoint.body is None else BodyReader(endpoint.body)

        async def handle(context: RequestContext, receive: Receive) -> Reply:
            caller = await self._entry.authenticate(
                context, endpoint.scope, endpoint.field, takes_query=bool(endpoint.query)
            )
            with self._place(endpoint, caller.account.account_id):
                raw, body = await self._read_body(endpoint, reader, context, receive)
                call = ManageCall(
                    session=self._session.acting_as(caller.actor),
                    caller=caller,
                    path=path_of(context),
                    query=read_parameters(endpoint.query, context.scope["query_string"]),
                    body=body,
                    precondition=_precondition(context) if endpoint.guarded else Precondition(),
                )
                repeated = repeatable(endpoint, call, context, raw, self._repetitions)
                answer = await self._entry.answerer(context)
                if repeated is None:
                    reply = _reply(answer, await self._run(endpoint, call, endpoint.run))
                else:
                    reply = await repeated.once(
                        lambda work: self._run(endpoint, call, work), partial(_reply, answer)
                    )
                if endpoint.changes and not call.dry_run:
                    await self._changed()
                return reply

        return handle

    @contextlib.contextmanager
    def _place(self, endpoint: ManageEndpoint, account_id: str) -> Iterator[None]:
        """A place for one call; or `overloaded`."""
        places = self._outside if endpoint.waits else self._places
        with places.take(account_id) as has_place:
            if not has_place:
                raise Problem("overloaded", headers=RETRY_SOON)
            yield

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

    async def _run(
        self, endpoint: ManageEndpoint, call: ManageCall, work: Callable[[ManageCall], Any]
    ) -> Any:
        """Do the work of a call; or the `Problem` of what refuses it, which has done nothing."""
        try:
            if endpoint.waits:
                done = await work(call)
            else:
                async with self._turns.take(call.account_id):
                    done = await asyncio.to_thread(work, call)
        except (NotFound, Conflict, InvalidInput) as refused:
            raise problem_of(refused) from None
        return done


def thread_turns(most: int, most_of_account: int) -> Turns:
    """Turns on the threads that calls of all accounts share."""
    refusal = partial(Problem, "overloaded", headers=RETRY_SOON)
    return Turns(most, most_of_account, _LONGEST_WAIT_S, refusal, _MOST_PRESENT)


def _reply(answer: Callable[[Any], Reply], done: Any) -> Reply:
    if not isinstance(done, Tagged):
        return answer(done)
    return msgspec.structs.replace(
        answer(done.answer), headers=((b"etag", b'"%d"' % done.version),)
    )


def problem_of(refused: NotFound | Conflict | InvalidInput) -> Problem:
    """The answer to a call that a use case refused."""
    if isinstance(refused, AccountClosed):
        return Problem("account_closed")
    if isinstance(refused, DocumentRefused):
        flaws = [str(flaw) for flaw in refused.flaws]
        return Problem("invalid_request", fields={"document": flaws})
    if isinstance(refused, InvalidFields):
        return Problem("invalid_request", fields=refused.fields)
    # A message can repeat what was sent, and an answer is kept to be repeated.
    details = [recordable(line) for line in str(refused).splitlines() if line]
    if isinstance(refused, NotFound):
        return Problem("not_found", details=details)
    if isinstance(refused, StaleVersion):
        return Problem("precondition_failed", details=details)
    if isinstance(refused, VersionNotNamed):
        return Problem("precondition_required", details=details)
    if isinstance(refused, RightMissing):
        return Problem("scope_not_allowed", details=details)
    if isinstance(refused, TooManyJobs):
        return Problem("too_many_jobs", details=details, headers=((b"retry-after", b"30"),))
    code = "conflict" if isinstance(refused, Conflict) else "invalid_request"
    return Problem(code, details=details)


def read_parameters(query: Iterable[Parameter], query_string: bytes) -> dict[str, Any]:
    """The parameters with their values or defaults, or a `Problem` that names every wrong one."""
    known = {each.name: each for each in query}
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
