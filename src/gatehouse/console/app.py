"""The application: admits a request, runs its endpoint on a thread, and answers with a page."""

import logging
from collections.abc import Callable
from typing import Final

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gatehouse.access.roles import Permission
from gatehouse.access.visitors import Visitor
from gatehouse.admin import accounts
from gatehouse.console import failures
from gatehouse.console.assets import serve_asset
from gatehouse.console.desk import Desk
from gatehouse.console.envelope import Envelope
from gatehouse.console.forms import FormRefused, SentForm, read_form, read_pairs
from gatehouse.console.guard import check_token
from gatehouse.console.pages import Action, Declared, Endpoint, Reach
from gatehouse.console.refusals import PageRefused, status_of, words_of
from gatehouse.console.visit import Incoming, Visit
from gatehouse.core.defects import blanked
from gatehouse.core.errors import GatehouseError, NotFound

_log: Final = logging.getLogger("gatehouse.console")
THREADS: Final = 8
"""Pages that are made at the same time; the others wait."""
_WAIT_S: Final = 10.0
_LONGEST_QUERY: Final = 8000


class Application:
    """Runs the pages and actions of the console."""

    def __init__(self, desk: Desk, threads: int = THREADS) -> None:
        self._desk = desk
        self._threads = threads
        self._limiter: anyio.CapacityLimiter | None = None

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
        try:
            query = read_pairs(request.url.query[:_LONGEST_QUERY])
            form = SentForm()
            if isinstance(declared, Action):
                self._desk.guard.check_sender(request.headers)
                form = await read_form(request, declared.most_bytes)
        except PageRefused as refused:
            return failures.refused(Visit(self._desk, _asked(request)), refused)
        asked = _asked(request, query=query, form=form)
        return await self._on_thread(lambda: self._run(asked, declared, request), asked)

    async def _on_thread(self, work: Callable[[], Response], asked: Incoming) -> Response:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._threads)
        with anyio.move_on_after(_WAIT_S) as waiting:
            await self._limiter.acquire_on_behalf_of(asked.request_id)
        if waiting.cancelled_caught:
            return failures.busy(Visit(self._desk, asked))
        try:
            return await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1))
        finally:
            self._limiter.release_on_behalf_of(asked.request_id)

    def _run(self, asked: Incoming, declared: Declared, request: Request) -> Response:
        """Everything that reads the data: who asks, whether that is allowed, and the page."""
        visit = Visit(self._desk, asked, declared)
        return self._answered(visit, lambda: self._run_as(visit, declared, request))

    def _answered(self, visit: Visit, work: Callable[[], Response]) -> Response:
        """What the work answers, or the page about its failure; with a new token if one is due."""
        renewed = None
        try:
            visit.signed_in, renewed = self._visitor(visit.asked)
            response = work()
        except PageRefused as refused:
            response = failures.refused(visit, refused)
        except GatehouseError as error:
            status = status_of(error)
            if status is None:
                response = _defect(visit, error)
            else:
                response = failures.explained(visit, status, words_of(visit, error))
        except Exception as error:
            response = _defect(visit, error)
        if renewed is not None:
            self._desk.cookies.begin(response, renewed)
        return response

    def _run_as(self, visit: Visit, declared: Declared, request: Request) -> Response:
        if declared.reach is not Reach.PUBLIC and visit.signed_in is None:
            return failures.sign_in_first(visit)
        if visit.signed_in is not None:
            request.scope["gatehouse.user"] = visit.signed_in.user_id
            self._admit(visit, declared)
            request.scope["gatehouse.account"] = visit.account and visit.account_id
        if isinstance(declared, Action):
            return _carry_out(visit, declared)
        return declared.get(visit)

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

    def _admit(self, visit: Visit, declared: Declared) -> None:
        """Refuse an account, a permission or a form that is not the visitor's."""
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
            assert declared.permission is not None
            if not visitor.may(declared.permission, account_id):
                raise PageRefused(403, "problems.not_allowed")
        if declared.permission is Permission.OPERATE and not visitor.is_operator:
            raise PageRefused(403, "problems.not_allowed")
        if isinstance(declared, Action):
            check_token(visitor, visit.asked.headers, visit.asked.form)

    async def _no_such_page(self, request: Request, _error: Exception) -> Response:
        visit = Visit(self._desk, _asked(request))

        def refuse() -> Response:
            raise PageRefused(404, "problems.no_page")

        return await self._on_thread(lambda: self._answered(visit, refuse), visit.asked)


def _carry_out(visit: Visit, action: Action) -> Response:
    """Run an action; what it refuses is said in its form, where it has one."""
    try:
        return action.post(visit)
    except FormRefused as refused:
        visit.problems = refused.problems
        return _shown_again(visit, action.again, 422)
    except GatehouseError as error:
        status = status_of(error)
        if action.again is None or status not in (409, 422, 502):
            raise
        visit.problems = {"": words_of(visit, error)}
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


def _asked(request: Request, query: object = None, form: SentForm | None = None) -> Incoming:
    scope = request.scope
    return Incoming(
        request_id=scope["gatehouse.request_id"],
        method=request.method,
        path=request.url.path,
        headers=request.headers,
        cookies=request.cookies,
        places=request.path_params,
        query=query or {},  # type: ignore[arg-type]  # from `read_pairs`
        form=form or SentForm(),
        address=scope["gatehouse.address"],
    )


async def _healthy(request: Request) -> Response:
    request.scope["gatehouse.route"] = "/healthz"
    return PlainTextResponse("ok\n")
