"""A payment gateway on this machine that answers with markup instead of codes."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

CODE: Final = "<img/src=x/onerror=pwned=1>"
"""Codes have at most 32 characters, and no blanks."""
APPROVAL: Final = "\"'></dd><script>pwned=1</script>"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        said = {"approved": True, "responseCode": CODE, "approvalCode": APPROVAL, "id": APPROVAL}
        self._send(json.dumps(said).encode())

    def do_GET(self) -> None:
        self._send(b"{}")

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def hostile_gateway() -> Iterator[str]:
    """Where the gateway answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            serving.join()
