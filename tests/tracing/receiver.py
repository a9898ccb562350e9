"""A small receiver of OTLP over HTTP, as a collector is one."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Receiver:
    """What came, whole and as spans."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.url = ""
        self.answers = threading.Event()
        self.answers.set()

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def of_trace(self, trace_id: str) -> list[Span]:
        return [span for span in self.spans if span.trace_id.hex() == trace_id]


@contextlib.contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that runs."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.answers.wait()
            receiver.bodies.append(body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.answers.set()
        server.shutdown()
        server.server_close()
        thread.join()
