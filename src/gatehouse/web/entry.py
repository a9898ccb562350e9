"""What the routes of the API share: the caller's key, the body, and answers that cost nothing."""

from collections.abc import Awaitable
from typing import Any

from gatehouse.access.accounts import Caller, Callers
from gatehouse.web import envelope
from gatehouse.web.auth import Authenticator
from gatehouse.web.body import Receive, read_body
from gatehouse.web.context import Reply, RequestContext


class Entry:
    """Authenticates a request for a scope, reads its body, and answers it when it is free."""

    def __init__(
        self,
        authenticator: Authenticator,
        callers: Callers,
        *,
        max_body_bytes: int,
        body_timeout_ms: int,
    ) -> None:
        self._authenticator = authenticator
        self._callers = callers
        self._max_body_bytes = max_body_bytes
        self._body_timeout_ms = body_timeout_ms

    def authenticate(self, context: RequestContext, scope: str, field: str) -> Awaitable[Caller]:
        """The caller, if its key has the scope; the answer will be in `field` of the envelope."""
        context.field = field
        return self._authenticator.authenticate(context, scope)

    def body(self, context: RequestContext, receive: Receive) -> Awaitable[bytes]:
        """The whole body, or the `Problem` with it."""
        return read_body(context, receive, self._max_body_bytes, self._body_timeout_ms)

    async def answer(self, context: RequestContext, response: Any) -> Reply:
        """The answer of a request that costs nothing."""
        assert context.caller is not None
        assert context.field is not None
        account = context.caller.account
        remaining = await self._callers.remaining(account.account_id)
        billed = envelope.billing(account.currency, [], remaining)
        return Reply(200, envelope.success(context.request_id, context.field, response, billed))


def path_id(context: RequestContext) -> str:
    """The request id in the path."""
    request_id: str = context.scope["path_params"]["request_id"]
    return request_id
