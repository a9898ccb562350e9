"""What holds the event loop of a server under load, and for how long.

`python -m scripts.bench.stalls [--operation pipeline]` loads a server and prints its stalls: times
in which a timer of two milliseconds came much too late. Each is divided into what the loop's thread
computed, the garbage collector apart, how long it waited for a processor, and the rest, in which
another thread held the interpreter or a call of the system blocked. A second thread looks every few
milliseconds what runs meanwhile.
"""

import argparse
import asyncio
import collections
import gc
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from gatehouse.api.serving.server import HttpServer
from gatehouse.cli import main as gatehouse
from scripts.bench.client import Load, drive, percentile_ms
from scripts.bench.servers import Server, Shop, free_port, running, wait_for_memory
from scripts.bench.subjects import SUBJECTS

_BEAT_S: Final = 0.002
_STALL_S: Final = 0.02
_LOOK_S: Final = 0.005
_WARM_S: Final = 3.0
_SHOWN: Final = 12
_WAITING: Final = {"wait", "_wait", "_worker", "_next_batch", "select", "poll"}
"""Functions in which a thread waits for work."""


class Moment(NamedTuple):
    """What was spent until a beat, in seconds."""

    at: float
    computed: float
    by_all_threads: float
    collected: float
    queued: float


class Watch:
    """Notes the stalls of the loop that it runs on."""

    def __init__(self) -> None:
        self.stalls: list[list[float]] = []
        self.seen: collections.Counter[str] = collections.Counter()
        self.collections: list[tuple[float, int, float]] = []
        """When each was, its generation and its processor time."""
        self._collected = self._collection_began = 0.0
        self._last = self._moment()
        self._loop_thread = threading.get_ident()

    def start(self) -> None:
        """Begin, on the loop's thread."""
        gc.callbacks.append(self._collecting)
        threading.Thread(target=self._look, daemon=True).start()
        asyncio.get_running_loop().call_later(_BEAT_S, self._beat)

    def _collecting(self, phase: str, about: dict[str, int]) -> None:
        # By the clock of the thread that collects: the others wait for it meanwhile.
        if phase == "start":
            self._collection_began = time.thread_time()
            return
        spent = time.thread_time() - self._collection_began
        self.collections.append((time.perf_counter(), about["generation"], spent))
        if threading.get_ident() == self._loop_thread:
            self._collected += spent

    def _moment(self) -> Moment:
        # How long this thread was ready to run, and no processor was free.
        queued = int(Path("/proc/thread-self/schedstat").read_text().split()[1])
        spent = time.thread_time(), time.process_time(), self._collected
        return Moment(time.perf_counter(), *spent, queued / 1e9)

    def _beat(self) -> None:
        now, before = self._moment(), self._last
        self._last = now
        if now.at - before.at > _STALL_S:
            parts = [after - then for after, then in zip(now, before, strict=True)]
            self.stalls.append([now.at, *parts])
        asyncio.get_running_loop().call_later(_BEAT_S, self._beat)

    def _look(self) -> None:
        """Note what runs while the loop is late."""
        own = threading.get_ident()
        while True:
            time.sleep(_LOOK_S)
            if time.perf_counter() - self._last.at < _STALL_S:
                continue
            names = {thread.ident: thread.name for thread in threading.enumerate()}
            for ident, frame in sys._current_frames().items():
                if ident == self._loop_thread:
                    self.seen[f"loop: {_place(frame)}"] += 1
                elif ident != own and frame.f_code.co_name not in _WAITING:
                    self.seen[f"{names.get(ident, '?')}: {_place(frame)}"] += 1

    def told(self) -> dict[str, Any]:
        """All that was noted."""
        return {
            "stalls": self.stalls,
            "collections": self.collections,
            "seen": self.seen.most_common(40),
            "kept": self._kept().most_common(40),
        }

    @staticmethod
    def _kept() -> collections.Counter[str]:
        """The objects that the collector has to look at, by their types."""
        return collections.Counter(type(each).__qualname__ for each in gc.get_objects())


def _place(frame: FrameType) -> str:
    """The innermost functions of the program."""
    found: list[str] = []
    place: FrameType | None = frame
    while place is not None and len(found) < 2:
        file = place.f_code.co_filename
        if "/gatehouse/" in file:
            found.append(f"{file.rpartition('/gatehouse/')[2]}:{place.f_code.co_name}")
        place = place.f_back
    return " < ".join(found) or frame.f_code.co_name


def _serve_watched(target: Path, arguments: list[str]) -> None:
    """Serve as the program does, and write what was noted when the server stops."""
    start, stop = HttpServer.startup, HttpServer.shutdown
    watches = []

    async def startup(server: HttpServer, sockets: Any = None) -> None:
        await start(server, sockets)
        watches.append(Watch())
        watches[0].start()

    async def shutdown(server: HttpServer, sockets: Any = None) -> None:
        target.write_text(json.dumps(watches[0].told()))  # noqa: ASYNC240  # nothing is served now
        await stop(server, sockets)

    # The class is the only place through which every start goes.
    HttpServer.startup = startup  # type: ignore[assignment,method-assign]
    HttpServer.shutdown = shutdown  # type: ignore[assignment,method-assign]
    sys.argv = ["gatehouse", *arguments]
    gatehouse()


@contextmanager
def _watched_server(shop: Shop, target: Path) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "scripts.bench.stalls", "--watched", str(target)]
    with (
        (shop.home / "server.log").open("ab") as log,
        running([*command, "serve", "--port", str(port)], port, shop.environment, log) as server,
    ):
        yield server


def report(load: Load, told: dict[str, Any], since: float) -> Iterator[str]:
    """The lines that say what held the loop since a moment, by the clock of all processes."""
    p50, p99 = (load.percentile_ms(share) for share in (0.5, 0.99))
    yield f"{load.rate:.0f} requests/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms: {p99 / p50:.2f} times"
    stalls = [parts for at, *parts in told["stalls"] if at > since]
    if not stalls:
        yield "no stalls"
        return
    whole, computed, by_all, collected, queued = map(sum, zip(*stalls, strict=True))
    yield f"{len(stalls)} stalls in {load.seconds:.0f} s, {whole:.1f} s in all; p50, p99, longest"
    yield _spread("by the clock", [stall[0] for stall in stalls])
    yield _spread("without waiting for a processor", [stall[0] - stall[4] for stall in stalls])
    yield _spread("computed by the loop's thread", [stall[1] for stall in stalls])
    yield _spread("the rest", [stall[0] - stall[1] - stall[4] for stall in stalls])
    for generation in range(3):
        noted = told["collections"]
        times = [spent for at, which, spent in noted if which == generation and at > since]
        if times:
            yield _spread(f"{len(times)} collections of generation {generation}", times)
    parts = {
        "computed by the loop's thread": computed - collected,
        "collecting garbage": collected,
        "no processor was free": queued,
        "another thread ran, or a call blocked": whole - computed - queued,
    }
    for name, seconds in parts.items():
        yield f"  {name:<40} {seconds / whole:6.1%}"
    yield f"  other threads computed {(by_all - computed) / whole:.1%} of that time"
    for title, name in (
        ("Seen while the loop was late", "seen"),
        ("Objects that the collector looks at", "kept"),
    ):
        yield title
        yield from (f"  {times:8,}  {what}" for what, times in told[name][:_SHOWN])


def _spread(name: str, times_s: list[float]) -> str:
    shown = (percentile_ms(times_s, share) for share in (0.5, 0.99, 1))
    return f"  {name:<40} {', '.join(f'{value:.1f}' for value in shown)} ms"


def measure(shop: Shop, requests: list[bytes], connections: int, seconds: float) -> None:
    """Load a server, and print what held its loop."""
    target = shop.home / "stalls.json"
    with _watched_server(shop, target) as server:
        wait_for_memory(server.port)
        drive(server.port, requests, connections=connections, seconds=_WARM_S)
        since = time.perf_counter()
        load = drive(server.port, requests, connections=connections, seconds=seconds)
    for line in report(load, json.loads(target.read_text()), since):
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operation", choices=[each.key for each in SUBJECTS], default="pipeline")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    [subject] = [each for each in SUBJECTS if each.key == options.operation]
    with tempfile.TemporaryDirectory(prefix="gatehouse-stalls-") as folder:
        shop = subject.shop(Path(folder))
        measure(shop, subject.requests(shop.key), options.connections, options.seconds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--watched"]:
        _serve_watched(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
