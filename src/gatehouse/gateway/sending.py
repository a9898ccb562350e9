"""Until when an operation may be sent: a process that stood still may find it done by others."""

import math
import time
from contextvars import ContextVar
from typing import Final

from gatehouse.core.errors import ConnectorFailed

SENDS_UNTIL_MS: Final = ContextVar("sends_until_ms", default=math.inf)
"""In milliseconds since 1970."""


def refuse_late() -> None:
    """Refuse to send what others may have done while this process stood still."""
    if time.time() * 1000 > SENDS_UNTIL_MS.get():
        raise ConnectorFailed("it is too late to send this", sent=False)
