"""The spans of a request, put around the parts of the service that it passes."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from gatehouse.api.app import CONTEXT_KEY
from gatehouse.api.context import RequestContext
from gatehouse.core.stages.case import Case
from gatehouse.pipeline.job import StageRun, Step
from gatehouse.pipeline.settlement import (
    AuthorizationResult,
    Authorize,
    Close,
    Closed,
    Redirect,
    Release,
    Settlement,
)
from gatehouse.pipeline.stage_runner import StageRunner

_API: Final = "/api/"
_TRACE_HEADER: Final = b"traceparent"
"""Its companion tracestate is not read: spans would carry it on, and it can hold any text."""
_LONGEST: Final = 512
"""Of a header that tells of the caller's trace; the standard's own form is much shorter."""
_propagator: Final = TraceContextTextMapPropagator()
T = TypeVar("T")

Application = Callable[[Any, Any, Any], Awaitable[None]]
Called = Callable[[str, str, str, float], None]
"""Takes the connector, what it was asked for, the outcome and the seconds."""


class TracedApplication:
    """Serves requests within a span, which goes on with the trace that the caller names."""

    def __init__(self, inner: Application, tracer: Tracer) -> None:
        self._inner = inner
        self._tracer = tracer

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request; what watches the server leaves no spans."""
        if scope["type"] != "http" or not scope["path"].startswith(_API):
            await self._inner(scope, receive, send)
            return
        span = self._tracer.start_span(
            scope["method"],
            context=_context(scope["headers"]),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": scope["method"]},
        )
        if not span.is_recording():
            # Nobody asked for this one: the parts of the service find no span and make none.
            await self._inner(scope, receive, send)
            return

        async def send_and_note(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                _note(span, scope[CONTEXT_KEY], message["status"])
            await send(message)

        with trace.use_span(
            span, end_on_exit=True, record_exception=False, set_status_on_exception=False
        ):
            await self._inner(scope, receive, send_and_note)


def _context(headers: list[tuple[bytes, bytes]]) -> Context:
    """The trace that the caller names, or none."""
    named = {
        name.decode(): value.decode("latin-1")
        for name, value in headers
        if name == _TRACE_HEADER and len(value) <= _LONGEST
    }
    return _propagator.extract(named, Context()) if named else Context()


def _note(span: Span, context: RequestContext, status: int) -> None:
    """What is known of a request once it is answered; the route has no ids in it."""
    span.update_name(f"{context.scope['method']} {context.route}")
    span.set_attribute("http.route", context.route)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("gatehouse.request_id", context.request_id)
    if context.code is not None:
        span.set_attribute("error.type", context.code)
    if status >= 500:
        span.set_status(StatusCode.ERROR)


class TracedRunner(StageRunner):
    """Runs each stage within a span."""

    def __init__(self, tracer: Tracer, stopwatch: Callable[[], float]) -> None:
        super().__init__(stopwatch)
        self._tracer = tracer

    async def _run(self, step: Step, case: Case) -> StageRun:
        if not trace.get_current_span().is_recording():
            return await super()._run(step, case)
        with self._tracer.start_as_current_span(
            f"stage {step.stage.name}", record_exception=False, set_status_on_exception=False
        ) as span:
            run = await super()._run(step, case)
            span.set_attribute("gatehouse.completed", run.item.completed)
            if run.result.verdict is not None:
                span.set_attribute("gatehouse.verdict", run.result.verdict.name)
            return run


class TracedSettlement:
    """Hands settlements over within spans that end when they are settled."""

    def __init__(self, inner: Settlement, tracer: Tracer) -> None:
        self._inner = inner
        self._tracer = tracer

    def authorize(self, order: Authorize) -> "asyncio.Future[AuthorizationResult]":
        """Hold the fees, or say why not."""
        return self._trace("commit authorize", self._inner.authorize(order))

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        """Charge, release and record in one commit."""
        return self._trace("commit close", self._inner.close(order))

    def redirect(self, order: Redirect) -> "asyncio.Future[None]":
        """Note another party of an open payment."""
        return self._trace("commit redirect", self._inner.redirect(order))

    def release(self, order: Release) -> "asyncio.Future[None]":
        """End a hold without a charge."""
        return self._trace("commit release", self._inner.release(order))

    def _trace(self, name: str, answer: Awaitable[T]) -> "asyncio.Future[T]":
        future = asyncio.ensure_future(answer)
        if trace.get_current_span().is_recording():
            span = self._tracer.start_span(name)
            future.add_done_callback(lambda _done: span.end())
        return future


def traced_calls(tracer: Tracer, observe: Called) -> Called:
    """The observer, which also leaves a span for each call that a request made."""

    def called(connector: str, asked_for: str, outcome: str, seconds: float) -> None:
        observe(connector, asked_for, outcome, seconds)
        if not trace.get_current_span().is_recording():
            return
        ended_ns = time.time_ns()
        span = tracer.start_span(
            f"call {connector} {asked_for}",
            kind=SpanKind.CLIENT,
            start_time=ended_ns - int(seconds * 1e9),
            attributes={"gatehouse.connector": connector, "gatehouse.outcome": outcome},
        )
        if outcome != "answered":
            span.set_status(StatusCode.ERROR)
        span.end(ended_ns)

    return called
