"""Repeats work in the background of a server."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

from gatehouse.core.errors import StoreUnavailable

_log: Final = logging.getLogger("gatehouse.store")


async def repeat(work: Callable[[], Awaitable[object]], pause_s: float, failure: str) -> NoReturn:
    """Do the work again and again until cancelled; `failure` is logged whenever it fails.

    No defect ends it: payments must still be reversed, holds released and changes noticed.
    """
    while True:
        try:
            await work()
        except StoreUnavailable as error:
            _log.warning(failure, extra={"reason": str(error)})
        except Exception:
            _log.exception(failure)
        await asyncio.sleep(pause_s)
