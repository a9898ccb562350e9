"""The v1 routes: each parses, makes one call, renders."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import msgspec

from gatehouse.admin.decisions.use_cases.decisions import LiveDecisions
from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.api import envelope
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, refuse_unread
from gatehouse.api.context import Reply, RequestContext, is_visible
from gatehouse.api.entry import Entry, path_id
from gatehouse.api.problems import Problem
from gatehouse.api.query import PAGE_PARAMETERS, read_query, read_search
from gatehouse.api.repetitions import Repetitions
from gatehouse.core.clock import Clock
from gatehouse.core.errors import RequestRefused
from gatehouse.core.ids import is_id
from gatehouse.core.reading.request_reader import check_long_cart
from gatehouse.operations.catalogue import read_policies
from gatehouse.operations.operation import Operation
from gatehouse.pipeline.engine import Engine
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
_SEARCH_PARAMETERS: Final = ("clientReferenceId", *PAGE_PARAMETERS)

Handler = Callable[[RequestContext, Receive], Awaitable[Reply]]
PipelineListing = Callable[[str], Awaitable[msgspec.Struct]]
"""The pipelines of an account."""


class Api:
    """Makes the handlers of the v1 routes."""

    def __init__(
        self,
        engine: Engine,
        entry: Entry,
        archive: DecisionArchive,
        decisions: LiveDecisions,
        clock: Clock,
        *,
        repetitions: Repetitions,
        observe: Callable[[str, Processed], None],
    ) -> None:
        self._engine = engine
        self._entry = entry
        self._archive = archive
        self._decisions = decisions
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
            scope = f"{account.account_id} {operation.name} "
            claim = self._claim(context, scope, reader, body)
            try:
                plan = await operation.plan(account, request)
                reader.note_ignored(context, body, plan.ignored)
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
            )
            return await self._process(job)

        return handle

    async def _earlier_answer(self, claim: Claim | None) -> Reply | None:
        """The answer to the first request of an idempotency key, if there was one."""
        if claim is None:
            return None
        earlier = await self._archive.earlier(claim, self._clock())
        return None if earlier is None else _repeated(earlier)

    def pipelines(self, listing: PipelineListing) -> Handler:
        """The handler that tells which pipelines there are."""

        async def handle(context: RequestContext, _receive: Receive) -> Reply:
            caller = await self._entry.authenticate(context, "pipeline", "pipelinesResponse")
            return await self._entry.answer(context, await listing(caller.account.account_id))

        return handle

    async def decision(self, context: RequestContext, _receive: Receive) -> Reply:
        """One decision record with its explanation, to its account only."""
        caller = await self._entry.authenticate(context, "decisions", "decisionResponse")
        request_id = path_id(context)
        record = None
        if is_id(request_id, "req"):
            record = await self._archive.get(caller.account.account_id, request_id)
        if record is None:
            raise Problem("not_found", details=["no such decision for this account"])
        account = caller.account
        explanation = await self._decisions.explain(caller.actor, account.account_id, record)
        shown = public_decision(record, account.currency, explanation)
        return await self._entry.answer(context, shown)

    async def decisions(self, context: RequestContext, _receive: Receive) -> Reply:
        """Decision records, newest first, optionally by the caller's own reference."""
        caller = await self._entry.authenticate(
            context, "decisions", "decisionsResponse", takes_query=True
        )
        search = read_search(read_query(context.scope["query_string"], _SEARCH_PARAMETERS), {})
        one_more = msgspec.structs.replace(search, limit=search.limit + 1)
        records = await self._archive.search(caller.account.account_id, one_more)
        page = [public_decision(r, caller.account.currency) for r in records[: search.limit]]
        has_more = len(records) > search.limit
        return await self._entry.answer(context, {"decisions": page, "hasMore": has_more})

    async def _process(self, job: Job) -> Reply:
        outcome = await self._engine.process(job)
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
