"""Asks a gateway in the background of the server, and says why no answer came."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import msgspec

from gatehouse.core.defects import blanked
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.timeouts import with_timeout

T = TypeVar("T")

_log: Final = logging.getLogger("gatehouse.store")

MOST_ATTEMPTS: Final = 150
"""About a day, at ten minutes each."""
_LONGEST_WAIT_S: Final = 600
AT_ONCE: Final = 16
# A claim outlives the time limit by this much, so that two servers do not ask at the same time
# when their clocks differ a little or the database is slow.
CLAIM_MARGIN_MS: Final = 30_000


class NoAnswer(msgspec.Struct, frozen=True):
    """Why a gateway gave no answer that can be used."""

    reason: str
    sent: bool = True
    """Whether the party may have done what it was asked for."""


async def ask_gateway(
    call: Coroutine[Any, Any, T], time_limit_ms: int, about: dict[str, object]
) -> T | NoAnswer:
    """What the gateway answered, or why it did not; `about` goes into the log of a defect."""
    try:
        return await with_timeout(time_limit_ms / 1000, call)
    except TimeoutError:
        return NoAnswer("timeout")
    except ConnectorFailed as failure:
        return NoAnswer("connector_failed", failure.sent)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return NoAnswer("defect")  # the connector cancelled itself; this task was not cancelled
    except Exception as error:
        defect = blanked(error, "the gateway's connector")
        about = {**about, "reason": "defect"}
        _log.error("a gateway connector is defective", exc_info=defect, extra=about)
        return NoAnswer("defect")


def wait_ms(attempts: int) -> int:
    """How long to wait before the next attempt: doubles each time, up to ten minutes."""
    return min(1 << min(attempts - 1, 20), _LONGEST_WAIT_S) * 1000
