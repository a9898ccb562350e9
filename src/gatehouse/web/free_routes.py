"""What the routes share that cost nothing: the caller's key, the body, the answer."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.core.request_reader import RequestReader
from gatehouse.web.auth import Authenticator
from gatehouse.web.body import Receive, read_body
from gatehouse.web.context import Reply, RequestContext

T = TypeVar("T", bound=msgspec.Struct)

Free = Callable[[RequestContext, Any], Awaitable[Reply]]
"""Renders the answer of an operation that costs nothing."""


class FreeRoutes:
    """Authenticates a request for a scope, reads its body and renders its answer."""

    def __init__(
        self,
        authenticator: Authenticator,
        answer: Free,
        *,
        max_body_bytes: int,
        body_timeout_ms: int,
    ) -> None:
        self._authenticator = authenticator
        self.answer = answer
        self._max_body_bytes = max_body_bytes
        self._body_timeout_ms = body_timeout_ms

    async def authenticate(self, context: RequestContext, scope: str, field: str) -> Caller:
        """The caller, if its key has the scope; the answer will be in `field` of the envelope."""
        context.field = field
        return await self._authenticator.authenticate(context, scope)

    async def read(self, context: RequestContext, receive: Receive, reader: RequestReader[T]) -> T:
        """The request in the body, or the `Problem` with it."""
        body = await read_body(context, receive, self._max_body_bytes, self._body_timeout_ms)
        return reader.read(body)


def path_id(context: RequestContext) -> str:
    """The request id in the path."""
    request_id: str = context.scope["path_params"]["request_id"]
    return request_id
