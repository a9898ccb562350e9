"""The metrics of all workers of one supervisor on one page, told apart by the label `worker`.

Sums would go down when a worker is started again, and mislead those who compute rates. Workers ask
each other over sockets in a folder of their supervisor; one that does not answer is left out.
"""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import msgspec
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import Metric

_ANSWER_S: Final = 2.0
_ENDING: Final = ".metrics"

_Family = tuple[str, str, str, list[tuple[str, dict[str, str], float]]]
"""Name, what it is about, type, samples."""
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[_Family]).decode


class WorkerMetrics:
    """Tells the other workers what this one counts, and collects what all of them do."""

    def __init__(self, own: CollectorRegistry, folder: Path, worker: int) -> None:
        self._own = own
        self._folder = folder
        self._worker = str(worker)
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def start(self) -> None:
        """Answer the other workers, on a thread."""
        path = self._folder / f"{self._worker}{_ENDING}"
        path.unlink(missing_ok=True)
        outer = self

        class Answer(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                self.request.sendall(_encode(outer._families()))

        server = socketserver.ThreadingUnixStreamServer(str(path), Answer)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, name="worker-metrics", daemon=True).start()

    def describe(self) -> list[Metric]:
        """Nothing: names are known when metrics are read; the library asks for them before."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The metrics of all workers; the library calls this."""
        merged: dict[str, Metric] = {}
        for worker, families in self._all():
            for name, about, kind, samples in families:
                metric = merged.setdefault(name, Metric(name, about, kind))
                for sample, labels, value in samples:
                    metric.add_sample(sample, {**labels, "worker": worker}, value)
        yield from merged.values()

    def _families(self) -> list[_Family]:
        return [
            (each.name, each.documentation, each.type, [one[:3] for one in each.samples])
            for each in self._own.collect()
        ]

    def _all(self) -> Iterator[tuple[str, list[_Family]]]:
        for path in sorted(self._folder.glob(f"*{_ENDING}")):
            if path.stem == self._worker:
                yield self._worker, self._families()
                continue
            with contextlib.suppress(OSError, msgspec.DecodeError):
                yield path.stem, _decode(_ask(path))


def _ask(path: Path) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_ANSWER_S)
        connection.connect(str(path))
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
        return b"".join(parts)


class _Unlogged(WSGIRequestHandler):
    """Answers without a line for each scrape."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


class _MetricsServer(ThreadingMixIn, WSGIServer):
    """Serves on a port that was taken already, and may be shared with other workers."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, application: Any) -> None:
        super().__init__(listener.getsockname()[:2], _Unlogged, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = listener.getsockname()[:2]
        self.setup_environ()
        self.set_app(application)
        self.server_activate()


def serve_metrics(listener: socket.socket, registry: CollectorRegistry) -> None:
    """Serve metrics on a port of their own, on a thread."""
    server = _MetricsServer(listener, make_wsgi_app(registry))
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
