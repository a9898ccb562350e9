"""Structured logs: one JSON object per line, one line per request, nothing secret in any.

The lines of one turn of the event loop are written together, which saves a busy server most of the
time for writing.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, TextIO

import msgspec

from gatehouse.api.context import RequestContext
from gatehouse.core.clock import iso_time
from gatehouse.core.defects import blanked
from gatehouse.core.ip_networks import Network
from gatehouse.core.wording.log_lines import PROCESS
from gatehouse.settings.preflight import UnknownVariable
from gatehouse.settings.settings import Settings, changed_settings

_LINES_PER_SECOND: Final = 10
_log: Final = logging.getLogger("gatehouse.web")
_encode_lines: Final = msgspec.json.Encoder(enc_hook=str).encode_lines


class _RequestLine(msgspec.Struct, frozen=True, gc=False):
    at: str
    requestId: str
    traceId: str
    method: str
    route: str
    status: int
    code: str | None
    accountId: str | None
    keyId: str | None
    address: str | None
    durationMs: float
    level: str = "info"
    logger: str = "gatehouse.request"
    message: str = "request"
    worker: int | msgspec.UnsetType = msgspec.UNSET


class RequestLog:
    """Writes the line of each request."""

    def __init__(
        self,
        proxies: tuple[Network, ...] = (),
        stream: TextIO = sys.stderr,
        *,
        enabled: bool = True,
    ) -> None:
        self._proxies = proxies
        self._stream = stream
        self._enabled = enabled
        self._waiting: list[_RequestLine] = []
        self._worker = PROCESS.get("worker", msgspec.UNSET)

    def write(self, context: RequestContext, status: int, at_ms: int, seconds: float) -> None:
        """Queue the line of an answered request."""
        if not self._enabled:
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self.flush)
        caller = context.caller
        line = _RequestLine(
            at=iso_time(at_ms),
            requestId=context.request_id,
            traceId=context.trace_id,
            method=context.scope["method"],
            route=context.route,
            status=status,
            code=context.code,
            accountId=caller.account.account_id if caller else None,
            keyId=caller.key.key_id if caller else None,
            address=context.shown_address(self._proxies),
            durationMs=round(seconds * 1000, 3),
            worker=self._worker,
        )
        self._waiting.append(line)

    def flush(self) -> None:
        """Write the queued lines."""
        lines, self._waiting = self._waiting, []
        if lines:
            self._stream.write(_encode_lines(lines).decode())
            self._stream.flush()


class ThrottledLog:
    """Writes lines that strangers can cause: so many a second, then how many were left out."""

    def __init__(
        self, logger: logging.Logger, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._logger = logger
        self._monotonic = monotonic
        self._second = -1
        self._written = 0
        self._left_out = 0

    def warning(self, message: str, **extra: object) -> None:
        """Write the line, or count it as left out."""
        second = int(self._monotonic())
        if second != self._second:
            self._second, self._written = second, 0
        if self._written >= _LINES_PER_SECOND:
            self._left_out += 1
            return
        self._written += 1
        self._logger.warning(message, extra={**extra, "leftOut": self._left_out})
        self._left_out = 0


def log_start(settings: Settings, version: str, unknown: Iterable[UnknownVariable]) -> None:
    """Log what is about to serve: no value of a setting, because some are secret."""
    postgresql = settings.effective_database_url.startswith("postgres")
    about = {
        "version": version,
        "environment": settings.environment,
        "database": "postgresql" if postgresql else "sqlite",
        "memory": "shared" if settings.memory_url else "own",
        "address": settings.base_url,
        "changedSettings": changed_settings(settings),
    }
    _log.info("starting", extra=about)
    for variable in unknown:
        _log.warning(str(variable))


def log_lost_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log a failure that nobody waited for, such as that of a task which a connector started."""
    error = context.get("exception")
    defect = None if error is None else blanked(error, "a task of its own")
    _log.error(context["message"], exc_info=defect)
