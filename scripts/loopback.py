"""Answers connections on this machine, on a thread of its own."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextmanager
def answering(port: int, answer: Answer) -> Iterator[None]:
    """Have each connection to a port answered until the end."""
    begun, stop, loops = threading.Event(), asyncio.Event(), []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with await asyncio.start_server(answer, "127.0.0.1", port):
            begun.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join()
