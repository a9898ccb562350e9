"""Management calls with an `Idempotency-Key`: each is done once, and repeats get its answer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from gatehouse.admin import repeated_calls
from gatehouse.admin.repeated_calls import KeptAnswer
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.api.repetitions import Repetitions, canonical
from gatehouse.api.v1 import REPLAYED, cannot_repeat, idempotency_key
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.request_reader import read_json
from gatehouse.pipeline.settlement import Claim


class Repeatable(msgspec.Struct, frozen=True):
    """A call that may be repeated: who makes it, and what is kept of its key."""

    call: ManageCall
    claim: Claim
    request_id: str

    async def once(
        self, run: Callable[[], Awaitable[Any]], answer: Callable[[Any], Awaitable[Reply]]
    ) -> Reply:
        """The answer of what `run` does, or of what it did when the call came first."""
        session, account_id = self.call.session, self.call.account_id
        about = (session, account_id, self.claim, self.request_id)
        known = await asyncio.to_thread(repeated_calls.begin, *about)
        if isinstance(known, KeptAnswer):
            headers = () if known.etag is None else ((b"etag", known.etag.encode()),)
            return Reply(200, known.body.encode(), (*REPLAYED, *headers))
        if known is not None:
            raise cannot_repeat(known)
        try:
            done = await run()
        except StoreUnavailable:
            # What it did may be committed without an answer, so that its key stays taken.
            raise
        except Exception:
            # It did nothing, so that it may be mended and sent again.
            await asyncio.to_thread(repeated_calls.give_up, *about)
            raise
        reply = await answer(done)
        etag = dict(reply.headers).get(b"etag")
        kept = KeptAnswer(reply.body.decode(), None if etag is None else etag.decode())
        await asyncio.to_thread(repeated_calls.finish, *about, kept)
        return reply


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
    return Repeatable(call, claim, context.request_id)
