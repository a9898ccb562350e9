"""Logs as one JSON object per line, for every process that serves; nothing secret in any."""

import logging
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from gatehouse.core.cards.redaction import recordable, recordable_trace
from gatehouse.core.clock import iso_time
from gatehouse.core.defects import blanked

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_log: Final = logging.getLogger("gatehouse")
_encode: Final = msgspec.json.Encoder(enc_hook=str).encode
PROCESS: Final[dict[str, int]] = {}
"""What every line of this process carries."""
_STANDARD: Final = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {
    "message",
    "asctime",
    "color_message",
    "taskName",
}


class JsonLines(logging.Formatter):
    """Formats any log record as one JSON line with card-like digits masked."""

    def __init__(self, say: Callable[[str], str] = str) -> None:
        """`say` finds the words for operators."""
        super().__init__()
        self._say = say

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {
            "at": iso_time(int(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": recordable(record.getMessage()),
            **PROCESS,
        }
        for name, value in record.__dict__.items():
            if name not in _STANDARD:
                line[name] = recordable_trace(self._say(value)) if isinstance(value, str) else value
        if record.exc_info:
            line["trace"] = recordable_trace(self.formatException(record.exc_info))
        return _encode(line).decode()


def _log_lost_thread(failed: threading.ExceptHookArgs) -> None:
    """Log the failure of a thread, which may be a connector's; Python would print its words."""
    if failed.exc_value is not None and not isinstance(failed.exc_value, SystemExit):
        _log.error("a thread failed", exc_info=blanked(failed.exc_value, "a thread of its own"))


def _log_unraisable(failed: "UnraisableHookArgs") -> None:
    """Log what was raised where nothing can be, such as in `__del__`."""
    if failed.exc_value is not None:
        _log.error("a lost failure", exc_info=blanked(failed.exc_value, "a clean-up"))


def configure_logging(
    level: str, worker: int | None = None, say: Callable[[str], str] = str
) -> None:
    """Send every logger's lines, the server's and Python's own too, to standard error as JSON.

    The lines of one of several workers carry its number.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(say))
    if worker is not None:
        PROCESS["worker"] = worker
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.error").setLevel("WARNING")
    logging.getLogger("uvicorn.access").disabled = True
    logging.getLogger("alembic").setLevel("WARNING")
    logging.captureWarnings(True)
    threading.excepthook = _log_lost_thread
    sys.unraisablehook = _log_unraisable
