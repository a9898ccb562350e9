"""How a command runs that a server has started: with a low priority, and no longer than it."""

import os
import threading
from typing import Final

_NICENESS: Final = 10
_STANDARD_INPUT: Final = 0


def stay_beside_server() -> None:
    """Give way to the server that started this process, and end when it ends."""
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    os.nice(_NICENESS)


def _end_with_the_server() -> None:
    # Not by `sys.stdin`: the interpreter would find its buffer locked when it ends, and abort.
    while os.read(_STANDARD_INPUT, 1024):
        pass
    os._exit(1)
