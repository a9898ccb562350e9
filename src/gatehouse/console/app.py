"""The application: admits a request, runs its endpoint on a thread, and answers with a page.

Until it is known who asks, nothing of the body is read; of a stranger it is never more than a small
form, and it is taken apart on a thread.
"""

import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from typing import Final, TypeVar

import anyio
import anyio.to_thread
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gatehouse.access.roles import Permission
from gatehouse.access.visitors import Visitor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.console import failures
from gatehouse.console.assets import serve_asset
from gatehouse.console.desk import Desk
from gatehouse.console.forms.forms import FormRefused, fit, read_body, read_form, read_pairs
from gatehouse.console.pages import FORM_BYTES, Action, Declared, Endpoint, Reach
from gatehouse.console.refusals import PageRefused, status_of
from gatehouse.console.serving.cookies import read_cookies
from gatehouse.console.serving.envelope import Envelope
from gatehouse.console.serving.guard import check_token
from gatehouse.console.visit import Incoming, Visit
from gatehouse.core.defects import blanked
from gatehouse.core.errors import GatehouseError, NotFound
from gatehouse.core.limits.turns import Turns

_log: Final = logging.getLogger("gatehouse.console")
THREADS: Final = 8
"""Pages that are made at the same time; the others wait."""
THREADS_OF_ASKER: Final = 3
"""Of these, what one account may take, or all strangers together."""
_EVERYWHERE: Final = (Permission.OPERATE, Permission.BOOK)
_UNKNOWN: Final = "?"
"""Who takes the short turn in which it is found out who asks."""
_WAIT_S: Final = 10.0
_LONGEST_QUERY: Final = 8000
R = TypeVar("R")


class Application:
    """Runs the pages and actions of the console."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._turns = _turns(THREADS)
        self._large_forms = _turns(2 * THREADS)
        # What waits for another server takes turns apart: no other page must wait for it.
        self._elsewhere = _turns(2 * THREADS)

    def asgi(self) -> ASGIApp:
        """The application as a server runs it."""
        routes = [
            Route("/healthz", _healthy),
            Route("/static/{name:path}", serve_asset),
            *(self._route(each) for each in self._desk.declared),
        ]
        handlers = {404: self._no_such_page, 405: self._no_such_page}
        return Envelope(Starlette(routes=routes, exception_handlers=handlers), self._desk)

    def _route(self, declared: Declared) -> Route:
        async def answer(request: Request) -> Response:
            request.scope["gatehouse.route"] = declared.path
            return await self._answer(request, declared)

        method = "POST" if isinstance(declared, Action) else "GET"
        return Route(declared.path, answer, methods=[method])

    async def _answer(self, request: Request, declared: Declared) -> Response:
        """Find out who asks and whether that is allowed, and only then read what was sent."""
        visit = Visit(self._desk, _asked(request), declared)
        return await self._shown(visit, self._admitted(visit, declared, request))

    async def _shown(self, visit: Visit, answering: Awaitable[Response]) -> Response:
        try:
            response = await answering
        except PageRefused as refused:
            # As for a stranger: a page with a person's name asks the database.
            response = failures.refused(Visit(self._desk, visit.asked), refused)
        if visit.renewed_token is not None:
            self._desk.cookies.begin(response, visit.renewed_token)
        return response

    async def _admitted(self, visit: Visit, declared: Declared, request: Request) -> Response:
        query = read_pairs(request.url.query[:_LONGEST_QUERY])
        visit.asked = msgspec.structs.replace(visit.asked, query=query)
        if isinstance(declared, Action):
            self._desk.guard.check_sender(request.headers)
        refusal = await self._on_thread(visit, partial(self._admit, visit), _UNKNOWN)
        if visit.signed_in is not None:
            request.scope["gatehouse.user"] = visit.signed_in.user_id
            request.scope["gatehouse.account"] = visit.account and visit.account_id
        if refusal is not None:
            return refusal
        if isinstance(declared, Action):
            return await self._take_form(visit, declared, request)
        return await self._on_thread(visit, partial(declared.get, visit), _asker(visit))

    async def _take_form(self, visit: Visit, action: Action, request: Request) -> Response:
        """Read a form and carry it out; few large ones are in memory at a time."""

        def carry_out() -> Response:
            form = read_form(body, takes_files=action.takes_files)
            visit.asked = msgspec.structs.replace(visit.asked, form=form)
            # Rights may have changed while the form was being sent.
            return self._admit(visit) or _carry_out(visit, action)

        is_large = action.most_bytes > FORM_BYTES
        async with self._large_forms.take(_asker(visit)) if is_large else nullcontext():
            body = await read_body(request, action.most_bytes)
            return await self._on_thread(visit, carry_out, _asker(visit))

    async def _on_thread(self, visit: Visit, work: Callable[[], R], asker: str) -> R | Response:
        declared = visit.declared
        waits = asker != _UNKNOWN and declared is not None and declared.asks_elsewhere
        async with (self._elsewhere if waits else self._turns).take(asker):
            return await anyio.to_thread.run_sync(
                partial(_answered, visit, work), limiter=anyio.CapacityLimiter(1)
            )

    def _admit(self, visit: Visit) -> Response | None:
        """Recognise the visitor; refuse a page that is not for this person, or lead to sign in."""
        visit.signed_in, renewed = self._visitor(visit.asked)
        visit.renewed_token = renewed or visit.renewed_token
        declared = visit.declared
        if declared is None:
            return None
        if visit.signed_in is not None:
            self._check_rights(visit, declared)
        elif declared.reach is not Reach.PUBLIC:
            return failures.sign_in_first(visit)
        return None

    def _visitor(self, asked: Incoming) -> tuple[Visitor | None, str | None]:
        """Who asks; and the new token of a browser whose person's rights have changed."""
        token = self._desk.cookies.token(asked.cookies)
        if token is None:
            return None, None
        sessions = self._desk.sessions
        visitor = sessions.resolve(token, asked.address)
        # A form carries the token of its page, so only a page can hand out another one.
        if visitor is None or not visitor.needs_new_token or asked.method != "GET":
            return visitor, None
        renewed = sessions.renew(token)
        return (None if renewed is None else sessions.resolve(renewed, asked.address)), renewed

    def _check_rights(self, visit: Visit, declared: Declared) -> None:
        """Refuse an account or a permission that is not the visitor's."""
        visitor = visit.visitor
        if declared.reach is Reach.ACCOUNT:
            account_id = visit.place("account")
            if visitor.role_in(account_id) is None:
                raise PageRefused(404, "problems.no_account")
            try:
                session = self._desk.session.acting_as(visitor.actor(account_id))
                visit.account = accounts.get(session, account_id).account
            except NotFound:
                raise PageRefused(404, "problems.no_account") from None
            if not declared.is_for(visitor.permissions_in(account_id)):
                raise PageRefused(403, "problems.not_allowed")
        if declared.permission in _EVERYWHERE and not visitor.may(declared.permission, ""):
            raise PageRefused(403, "problems.not_allowed")

    async def _no_such_page(self, request: Request, _error: Exception) -> Response:
        visit = Visit(self._desk, _asked(request))

        def refuse() -> Response:
            self._admit(visit)
            raise PageRefused(404, "problems.no_page")

        return await self._shown(visit, self._on_thread(visit, refuse, _UNKNOWN))


def _turns(most: int) -> Turns:
    return Turns(most, THREADS_OF_ASKER, _WAIT_S, lambda: PageRefused(503, "problems.busy"))


def _asker(visit: Visit) -> str:
    """Whose turn a request takes: its account's, its person's, or that of all strangers."""
    if visit.account is not None:
        return visit.account_id
    return "" if visit.signed_in is None else visit.signed_in.user_id


def _answered(visit: Visit, work: Callable[[], R]) -> R | Response:
    """What the work answers, or the page about its failure."""
    try:
        return work()
    except PageRefused as refused:
        return failures.refused(visit, refused)
    except GatehouseError as error:
        status = status_of(error)
        if status is None:
            return _defect(visit, error)
        return failures.explained(visit, status, failures.words_of(visit, error))
    except Exception as error:
        return _defect(visit, error)


def _carry_out(visit: Visit, action: Action) -> Response:
    """Run an action; what it refuses is said in its form, where it has one."""
    if visit.signed_in is not None:
        check_token(visit.signed_in, visit.asked.headers, visit.asked.form)
    try:
        return action.post(visit)
    except FormRefused as refused:
        visit.problems = refused.problems
        return _shown_again(visit, action.again, 422)
    except GatehouseError as error:
        status = status_of(error)
        if action.again is None or status not in (409, 422, 502):
            raise
        visit.problems = {"": failures.words_of(visit, error)}
        return _shown_again(visit, action.again, status)


def _shown_again(visit: Visit, again: Endpoint | None, status: int) -> Response:
    if again is None:
        return failures.explained(visit, status, " ".join(visit.problems.values()))
    response = again(visit)
    response.status_code = status
    return response


def _defect(visit: Visit, error: Exception) -> Response:
    _log.error(
        "a page failed",
        exc_info=blanked(error, "a page"),
        extra={"requestId": visit.asked.request_id},
    )
    return failures.broken(visit)


def _asked(request: Request) -> Incoming:
    scope = request.scope
    return Incoming(
        request_id=scope["gatehouse.request_id"],
        method=request.method,
        path=request.url.path,
        headers=request.headers,
        cookies=read_cookies("; ".join(request.headers.getlist("cookie"))),
        places={name: fit(part) for name, part in request.path_params.items()},
        address=scope["gatehouse.address"],
    )


async def _healthy(request: Request) -> Response:
    request.scope["gatehouse.route"] = "/healthz"
    return PlainTextResponse("ok\n")
