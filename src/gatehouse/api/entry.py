"""What the routes of the API share: the caller's key, the body, and answers that cost nothing."""

import time
from collections.abc import Callable
from typing import Any, Final

from gatehouse.access.accounts import Caller
from gatehouse.access.keys import KeyRefusal, examine_key_text, key_hash
from gatehouse.access.limits import RateLimiter, SharedRateLimiter
from gatehouse.api import envelope
from gatehouse.api.body import Receive, arrived_body, read_body
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.problems import Problem
from gatehouse.api.query import refuse_parameters
from gatehouse.api.serving.in_flight import InFlight
from gatehouse.core.clock import Clock
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts.callers import CallerDirectory

_AUTHENTICATE: Final = ((b"www-authenticate", b'ApiKey realm="gatehouse", header="X-API-KEY"'),)


class Entry:
    """Authenticates a request for a scope, reads its body, and answers it when it is free."""

    def __init__(
        self,
        callers: CallerDirectory,
        settings: Settings,
        hashing_key: bytes,
        clock: Clock,
        in_flight: InFlight,
    ) -> None:
        self._callers = callers
        self._settings = settings
        self._hashing_key = hashing_key
        self._clock = clock
        self._in_flight = in_flight
        self.limiter = SharedRateLimiter() if settings.memory_url else RateLimiter()

    async def authenticate(
        self, context: RequestContext, scope: str, field: str, *, takes_query: bool = False
    ) -> Caller:
        """The caller, if its key has the scope; the answer will be in `field` of the envelope.

        Key, environment, account, networks, scope, slot and rate are checked in that order. A
        query is refused unless the route takes one.
        """
        context.field = field
        self._check_transport(context)
        now_ms = self._clock()
        caller = self._known_caller(context, now_ms) or await self._caller(context)
        context.caller = caller
        rate = self._rate(caller)
        refusal = self._refusal(context, caller, scope)
        if refusal is not None:
            # A refused caller must not consume rate-limit tokens.
            if rate:
                context.allowance = self.limiter.look(caller.key.key_id, rate, time.monotonic())
            raise _refused(refusal, scope)
        context.take_slot(self._in_flight)
        if rate:
            self.limit(context, caller.key.key_id, rate)
        self._callers.used(caller.key.key_id, now_ms)
        if context.scope["query_string"] and not takes_query:
            refuse_parameters(context.scope["query_string"])
        return caller

    async def recognise(self, context: RequestContext) -> bool:
        """Whether the caller of a path that nothing answers has a key; one token is taken."""
        try:
            self._check_transport(context)
            caller = await self._caller(context)
        except Problem:
            return False
        if self._refusal(context, caller, "") not in (None, KeyRefusal.SCOPE):
            return False
        context.caller = caller
        rate = self._rate(caller)
        if rate:
            self.limit(context, caller.key.key_id, rate)
        return True

    def admit(self, context: RequestContext) -> None:
        """Let a request in that proves itself in another way than by a key."""
        self._check_transport(context)
        context.take_slot(self._in_flight)

    async def authenticate_again(self, context: RequestContext, scope: str) -> None:
        """Check the key once more after a long wait: it may have been revoked meanwhile."""
        caller = await self._caller(context, anew=True)
        refusal = self._refusal(context, caller, scope)
        if refusal is not None:
            raise _refused(refusal, scope)
        context.take_slot(self._in_flight)

    async def body(
        self, context: RequestContext, receive: Receive, most_bytes: int | None = None
    ) -> bytes:
        """The whole body, or the `Problem` with it; without a limit, that of the settings holds."""
        settings = self._settings
        most = max(most_bytes or 0, settings.max_body_bytes)
        arrived = arrived_body(context, receive, most)
        if arrived is not None:
            return arrived
        # A caller that sends slowly must not hold a slot while it does.
        context.give_slot_back()
        body = await read_body(context, receive, most, settings.body_timeout_ms)
        context.take_slot(self._in_flight)
        return body

    async def answer(self, context: RequestContext, response: Any) -> Reply:
        """The answer of a request that costs nothing."""
        return (await self.answerer(context))(response)

    async def answerer(self, context: RequestContext) -> Callable[[Any], Reply]:
        """Makes the answer of a request that costs nothing, with nothing left to wait for."""
        assert context.caller is not None
        assert context.field is not None
        account, field = context.caller.account, context.field
        remaining = await self._callers.remaining(account.account_id)
        billed = envelope.billing(account.currency, [], remaining)

        def answer(response: Any) -> Reply:
            told = context.request_id, field, response, billed, context.warnings
            return Reply(200, envelope.success(*told))

        return answer

    def _check_transport(self, context: RequestContext) -> None:
        if b"origin" in context.headers and not self._is_own_page(context):
            raise Problem("browser_call")
        if self._settings.is_production and not context.is_secure(self._settings.trusted_proxies):
            raise Problem("insecure_transport")

    def _is_own_page(self, context: RequestContext) -> bool:
        """Whether the sandbox's own reference calls, in which samples can be tried."""
        host = context.header(b"host") or ""
        own = (f"http://{host}", f"https://{host}")
        return not self._settings.is_production and context.header(b"origin") in own

    def _known_caller(self, context: RequestContext, now_ms: int) -> Caller | None:
        """The caller, if its key was seen lately and is active; nothing has to be waited for."""
        text = context.headers.get(b"x-api-key")
        # What is known by its hash was well-formed when it was looked up.
        caller = None if text is None else self._callers.known(keyed_hash(self._hashing_key, text))
        return caller if caller is not None and caller.key.status(now_ms) == "active" else None

    async def _caller(self, context: RequestContext, *, anew: bool = False) -> Caller:
        text = context.header(b"x-api-key")
        if not text:
            raise Problem("missing_key", headers=_AUTHENTICATE)
        refusal = examine_key_text(text, self._settings.environment)
        if refusal is KeyRefusal.OTHER_ENVIRONMENT:
            raise Problem(KeyRefusal.OTHER_ENVIRONMENT)
        caller = None
        if refusal is None:
            caller = await self._callers.find(key_hash(text, self._hashing_key), anew=anew)
        if caller is None or caller.key.status(self._clock()) != "active":
            raise Problem(KeyRefusal.INVALID, headers=_AUTHENTICATE)
        return caller

    def _refusal(self, context: RequestContext, caller: Caller, scope: str) -> KeyRefusal | None:
        key = caller.key
        if caller.account.closed_at_ms is not None:
            return KeyRefusal.CLOSED
        if key.networks and not key.allows_address(context.address(self._settings.trusted_proxies)):
            return KeyRefusal.NETWORK
        return None if key.allows_operation(scope) else KeyRefusal.SCOPE

    def _rate(self, caller: Caller) -> int:
        own = caller.key.rate_limit_per_second
        return self._settings.rate_limit_per_second if own is None else own

    def limit(self, context: RequestContext, name: str, rate: int) -> None:
        """Take one of the tokens of a name, such as a key's id; or be refused."""
        context.allowance = self.limiter.take(name, rate, time.monotonic())
        if not context.allowance.granted:
            wait = str(context.allowance.reset_s).encode()
            raise Problem("rate_limited", headers=((b"retry-after", wait),))


def _refused(refusal: KeyRefusal, scope: str) -> Problem:
    if refusal is KeyRefusal.SCOPE:
        return Problem(refusal, details=[f"This needs a key with the scope {scope}."])
    return Problem(refusal)
