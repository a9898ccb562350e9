"""Authenticates callers: checks key, environment, networks, scope and rate, in that order."""

from collections.abc import Callable
from typing import Final

import msgspec

from gatehouse.access.accounts import Caller, Callers
from gatehouse.access.keys import KeyRefusal, examine_key_text, key_hash
from gatehouse.access.limits import RateLimiter
from gatehouse.core.clock import Clock
from gatehouse.settings import Network
from gatehouse.web.context import RequestContext
from gatehouse.web.problems import Problem

_AUTHENTICATE: Final = ((b"www-authenticate", b'ApiKey realm="gatehouse", header="X-API-KEY"'),)


class AuthOptions(msgspec.Struct, frozen=True):
    """The settings of authentication."""

    environment: str
    hashing_key: bytes
    rate_limit_per_second: int
    trusted_proxies: tuple[Network, ...]
    require_tls: bool


class Authenticator:
    """Finds the caller of an API request, or refuses the request."""

    def __init__(
        self,
        callers: Callers,
        options: AuthOptions,
        clock: Clock,
        monotonic: Callable[[], float],
    ) -> None:
        self._callers = callers
        self._options = options
        self._clock = clock
        self._monotonic = monotonic
        self._limiter = RateLimiter()

    async def authenticate(self, context: RequestContext, scope: str) -> Caller:
        """The caller, if its key may use the operation now."""
        self._check_transport(context)
        caller = await self._caller(context)
        context.caller = caller
        rate = self._rate(caller)
        refusal = self._refusal(context, caller, scope)
        if refusal is not None:
            # A refused caller must not consume rate-limit tokens.
            if rate:
                context.allowance = self._limiter.look(caller.key.key_id, rate, self._monotonic())
            raise Problem(refusal)
        if rate:
            self._take_token(context, caller.key.key_id, rate)
        self._callers.used(caller.key.key_id, self._clock())
        return caller

    def _check_transport(self, context: RequestContext) -> None:
        if b"origin" in context.headers:
            raise Problem("browser_call")
        if self._options.require_tls and not context.is_secure(self._options.trusted_proxies):
            raise Problem("insecure_transport")

    async def _caller(self, context: RequestContext) -> Caller:
        text = context.header(b"x-api-key")
        if not text:
            raise Problem("missing_key", headers=_AUTHENTICATE)
        refusal = examine_key_text(text, self._options.environment)
        if refusal is KeyRefusal.OTHER_ENVIRONMENT:
            raise Problem(KeyRefusal.OTHER_ENVIRONMENT)
        caller = None
        if refusal is None:
            caller = await self._callers.find(key_hash(text, self._options.hashing_key))
        if caller is None or caller.key.status(self._clock()) != "active":
            raise Problem(KeyRefusal.INVALID, headers=_AUTHENTICATE)
        return caller

    def _refusal(self, context: RequestContext, caller: Caller, scope: str) -> KeyRefusal | None:
        key = caller.key
        if key.networks and not key.allows_address(context.address(self._options.trusted_proxies)):
            return KeyRefusal.NETWORK
        return None if key.allows_operation(scope) else KeyRefusal.SCOPE

    def _rate(self, caller: Caller) -> int:
        own = caller.key.rate_limit_per_second
        return self._options.rate_limit_per_second if own is None else own

    def _take_token(self, context: RequestContext, key_id: str, rate: int) -> None:
        context.allowance = self._limiter.take(key_id, rate, self._monotonic())
        if not context.allowance.granted:
            wait = str(context.allowance.reset_s).encode()
            raise Problem("rate_limited", headers=((b"retry-after", wait),))
