"""Management calls with an `Idempotency-Key`: each is done once, and repeats get its answer."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from gatehouse.admin import repeated_calls
from gatehouse.admin.repeated_calls import KeptAnswer
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.api.problems import Problem
from gatehouse.api.repetitions import Repetitions, canonical
from gatehouse.api.v1 import REPLAYED, cannot_repeat, idempotency_key
from gatehouse.core.errors import GatehouseError, StoreUnavailable
from gatehouse.core.reading.request_reader import read_json
from gatehouse.pipeline.settlement import Claim

Work = Callable[[ManageCall], Any]


class Repeatable(msgspec.Struct, frozen=True):
    """A call that may be repeated: who makes it, and what is kept of its key."""

    endpoint: ManageEndpoint
    call: ManageCall
    claim: Claim
    request_id: str

    async def once(
        self, run: Callable[[Work], Awaitable[Any]], answer: Callable[[Any], Reply]
    ) -> Reply:
        """The answer of the call, or the one that it got when it came first.

        `run` does the work that it is given, in the place of this call.
        """
        session, account_id = self.call.session, self.call.account_id
        about = (session, account_id, self.claim, self.request_id)
        known = await asyncio.to_thread(repeated_calls.begin, *about)
        if isinstance(known, KeptAnswer):
            headers = () if known.etag is None else ((b"etag", known.etag.encode()),)
            return Reply(200, known.body.encode(), (*REPLAYED, *headers))
        if known is not None:
            raise cannot_repeat(known)
        is_whole = self.endpoint.one_change and not self.call.dry_run
        try:
            done = await run(partial(self._within, answer) if is_whole else self.endpoint.run)
        except StoreUnavailable:
            raise
        except (Problem, GatehouseError):
            # It was refused, so that it may be mended and sent again. After any other failure what
            # it did may be committed, so that its key stays taken.
            await asyncio.to_thread(repeated_calls.give_up, *about)
            raise
        if is_whole:
            whole: Reply = done
            return whole
        reply = answer(done)
        await asyncio.to_thread(repeated_calls.finish, *about, _kept(reply))
        return reply

    def _within(self, answer: Callable[[Any], Reply], call: ManageCall) -> Reply:
        """Do the work and keep its answer in one transaction."""
        with call.session.change(unseen=self.endpoint.unseen) as change:
            joined = msgspec.structs.replace(call, session=call.session.joining(change))
            reply = answer(self.endpoint.run(joined))
            about = joined.session, call.account_id, self.claim, self.request_id
            repeated_calls.finish(*about, _kept(reply))
        return reply


def _kept(reply: Reply) -> KeptAnswer:
    etag = dict(reply.headers).get(b"etag")
    return KeptAnswer(reply.body.decode(), None if etag is None else etag.decode())


def repeatable(
    endpoint: ManageEndpoint,
    call: ManageCall,
    context: RequestContext,
    raw: bytes,
    repetitions: Repetitions,
) -> Repeatable | None:
    """The call with what would make another one of it; None when it has no key, or needs none."""
    key = idempotency_key(context) if endpoint.changes else None
    if key is None:
        return None
    scope = f"{call.account_id} {endpoint.operation} ".encode()
    # Another key of the account must not get an answer with a secret that it could not have had.
    by = call.caller.key.key_id
    content = canonical((by, call.path, call.query, call.precondition, read_json(raw)))
    claim = repetitions.claim(scope + key, content, call.session.clock())
    return Repeatable(endpoint, call, claim, context.request_id)
