"""Has the past of the demo account filled by a process of its own, so that no request waits."""

import asyncio
import contextlib
import logging
import sys
from typing import Final

_log: Final = logging.getLogger("gatehouse.demo")


async def fill_beside(server: str) -> None:
    """Fill the demo account beside a server; what fails is logged, and taken up at a next start."""
    command = [sys.executable, "-m", "gatehouse", "demo", "fill-beside", server]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl+C is for the server, which then ends this process.
    )
    try:
        code = await process.wait()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    if code:
        _log.warning("the demo account has not all of its past", extra={"exitCode": code})
    else:
        _log.info("the demo account has its past")
