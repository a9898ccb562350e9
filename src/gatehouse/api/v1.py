"""The operations that check requests: each parses, makes one call, renders."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from gatehouse.api import envelope
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, refuse_unread
from gatehouse.api.context import Reply, RequestContext, is_visible
from gatehouse.api.entry import Entry
from gatehouse.api.problems import Problem
from gatehouse.api.repetitions import Repetitions
from gatehouse.core.clock import Clock
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import check_long_cart
from gatehouse.operations.catalogue import read_policies
from gatehouse.operations.operation import Operation
from gatehouse.pipeline.engine import Engine, ProcessingResult
from gatehouse.pipeline.job import Job, Processed, RequestPlan
from gatehouse.pipeline.settlement import (
    Claim,
    Enumerated,
    Insufficient,
    KeyReused,
    Replay,
    StillInFlight,
)
from gatehouse.store.decisions.decisions import DecisionArchive

REPLAYED: Final = ((b"idempotent-replayed", b"true"),)

Handler = Callable[[RequestContext, Receive], Awaitable[Reply]]


class Api:
    """Makes their handlers."""

    def __init__(
        self,
        engine: Engine,
        entry: Entry,
        archive: DecisionArchive,
        clock: Clock,
        *,
        repetitions: Repetitions,
        observe: Callable[[str, Processed], None],
    ) -> None:
        self._engine = engine
        self._entry = entry
        self._archive = archive
        self._clock = clock
        self._repetitions = repetitions
        self._observe = observe

    def operation(self, operation: Operation) -> Handler:
        """The handler of one operation."""
        reader = BodyReader(operation.read_type, operation.request_type)
        entry = self._entry

        async def handle(context: RequestContext, receive: Receive) -> Reply:
            caller = await entry.authenticate(context, operation.name, operation.field)
            account = caller.account
            body = await entry.body(context, receive, operation.most_bytes)
            check_long_cart(body)
            request: Any = reader.read(context, body)
            claim = None
            if b"idempotency-key" in context.headers:
                scope = f"{account.account_id} {operation.name} "
                claim = self._claim(context, scope, reader, body)
            try:
                plan = await operation.plan(account, request)
                if plan.ignored:
                    reader.note_ignored(context, body, plan.ignored)
                if context.strict:
                    refuse_unread(context)
            except RequestRefused as refused:
                reader.note_ignored(context, body, refused.ignored)
                # What is configured may have changed since the first request was answered.
                earlier = await self._earlier_answer(claim)
                if earlier is None:
                    raise
                context.strict = False
                return earlier
            job = Job(
                request_id=context.request_id,
                operation=operation.name,
                account_id=account.account_id,
                policies=read_policies(account.policies),
                plan=plan,
                client_reference=request.client_reference_id,
                claim=claim,
                render=lambda done: _render(context, account.currency, done, plan),
                key_id=caller.key.key_id,
                decision_filters=account.decision_filters,
                credit_limit=account.credit_limit,
            )
            return self._reply(job, await self._engine.process(job))

        return handle

    async def _earlier_answer(self, claim: Claim | None) -> Reply | None:
        """The answer to the first request of an idempotency key, if there was one."""
        if claim is None:
            return None
        earlier = await self._archive.earlier(claim, self._clock())
        return None if earlier is None else _repeated(earlier)

    def _reply(self, job: Job, outcome: ProcessingResult) -> Reply:
        match outcome:
            case Processed():
                self._observe(job.operation, outcome)
                return Reply(200, outcome.answer or job.render(outcome))
            case Insufficient():
                raise Problem("insufficient_balance", remaining=outcome.remaining)
            case Enumerated():
                raise Problem.of_cards(outcome.retry_after_ms)
            case _:
                return _repeated(outcome)

    def _claim(
        self, context: RequestContext, scope: str, reader: BodyReader[Any], body: bytes
    ) -> Claim | None:
        key = idempotency_key(context)
        if key is None:
            return None
        unread = partial(reader.leave_out, context)
        try:
            return self._repetitions.body_claim(scope.encode() + key, body, unread, self._clock())
        except RecursionError:
            raise Problem("malformed_body", details=["the body is nested too deeply"]) from None


def idempotency_key(context: RequestContext) -> bytes | None:
    """The key by which a repeated request is recognised, or the `Problem` with it."""
    key = context.headers.get(b"idempotency-key")
    if key is not None and not is_visible(key, 255):
        raise Problem("invalid_idempotency_key")
    return key


def _repeated(earlier: Replay | StillInFlight | KeyReused) -> Reply:
    """The answer to a request whose idempotency key was used before."""
    if isinstance(earlier, Replay):
        return Reply(200, earlier.answer, REPLAYED)
    raise cannot_repeat(earlier)


def cannot_repeat(earlier: StillInFlight | KeyReused) -> Problem:
    """The refusal of a request that repeats another one, and gets no answer yet or at all."""
    if isinstance(earlier, StillInFlight):
        return Problem("idempotency_in_flight", headers=((b"retry-after", b"1"),))
    return Problem("idempotency_key_reused")


def _render(context: RequestContext, currency: str, done: Processed, plan: RequestPlan) -> bytes:
    assert context.field is not None
    items = [run.item for run in done.runs]
    billed = envelope.billing(currency, items, done.remaining, done.authorized, done.closed)
    return envelope.success(
        done.request_id, context.field, plan.answer(done), billed, context.warnings
    )
