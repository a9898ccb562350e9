"""A payment processor on this machine, for the connectors that the pages print."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs/operations.md").read_text()
# Not the card that the server's own greeting shows, so that the log can be searched for it.
CARD = "5555555555554444"


class Processor(ThreadingHTTPServer):
    """Answers what a test wants, and remembers what it was asked and by which path."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answer: bytes = b""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def reversed(self) -> list[dict[str, Any]]:
        return [question for path, question in self.asked if path == "/reversals"]


class _Handler(BaseHTTPRequestHandler):
    server: Processor

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, question))
        answer = b"{}" if self.path == "/reversals" else self.server.answer
        self.send_response(200 if answer else 500)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def running_processor() -> Iterator[Processor]:
    """A processor that answers until the end."""
    with Processor() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def write_connector(kind: str, folder: Path) -> str:
    """Write the connector as the page prints it, and name its factory as a setting does."""
    printed = [block.text for block in blocks(PAGE) if block.kind == "python"]
    code = [text for text in printed if f"def make_{kind}" in text]
    assert len(code) == 1, f"the page prints one connector to an {kind}"
    (folder / f"processor_{kind}.py").write_text(code[0])
    return f"processor_{kind}:make_{kind}"
