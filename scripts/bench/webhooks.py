"""PreCheck with a webhook that is told of every decision, beside PreCheck without one.

The receiver is another process that accepts everything. The processor time of the server is that
of all its threads and of the processes that it starts, so sending the messages is in it.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Final

from scripts.bench.servers import GATEHOUSE, Shop, free_port

RATE: Final = 150.0
"""Requests per second, so that messages are sent as fast as they are made."""
BAR: Final = 1.2
_ANSWER: Final = b"HTTP/1.1 204 Accepted\r\ncontent-length: 0\r\n\r\n"


class _Receiver(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            start = self._buffer.find(b"content-length: ") + 16
            length = int(self._buffer[start : self._buffer.find(b"\r\n", start)])
            if len(self._buffer) < end + 4 + length:
                return
            self._buffer = self._buffer[end + 4 + length :]
            self._transport.write(_ANSWER)  # type: ignore[attr-defined]  # a Transport


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Receiver, "127.0.0.1", port)
    await server.serve_forever()


@contextlib.contextmanager
def receiver() -> Iterator[int]:
    """The port of a receiver in a process of its own."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "scripts.bench.webhooks", str(port)])
    try:
        time.sleep(0.5)
        yield port
    finally:
        process.terminate()
        process.wait()


def subscribe(shop: Shop, port: int) -> str:
    """Add a webhook that is told of every decision."""
    url = f"http://127.0.0.1:{port}/"
    told = ["webhooks", "create", url, "--event", "decision.made"]
    command = [*GATEHOUSE, *told, "--account", shop.account_id, "--json"]
    done = subprocess.run(command, env=shop.environment, check=True, capture_output=True)
    return str(json.loads(done.stdout)["id"])


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
