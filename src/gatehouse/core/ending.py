"""How a process ends when it is told to: by an exit, so that it takes away what it has made."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn


@contextlib.contextmanager
def exit_on_signal() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exit, so that work is cleared away as after an interrupt.

    A signal that is ignored stays so: nohup lets a command go on without its terminal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    ends = (signal.SIGTERM, signal.SIGHUP)
    heeded = [one for one in ends if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, leave) for one in heeded}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
