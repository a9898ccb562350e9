"""The gateway's connector in docs/operations.md is taken from the page and run by a real server."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks
from tests.harness import Home, sandbox_key, until

_PAGE = (ROOT / "docs/operations.md").read_text()
# Not the card that the server's own greeting shows, so that the log can be searched for it.
_CARD = "5555555555554444"
_PURCHASE = {
    "pipelineId": 1,
    "preCheckRequest": {
        "cardNumber": _CARD,
        "cardExpiryDate": "2031-12",
        "cardCvv2Value": "123",
        "cardAddress": {"street": "1 Main Street", "postalCode": "94105"},
    },
    "gatewayRequest": {"amount": 59.9, "currency": "USD"},
}


class Processor(ThreadingHTTPServer):
    """A processor on this machine that remembers what it was asked, by path."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answer: bytes = b""
        super().__init__(("127.0.0.1", 0), _Handler)

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


@pytest.fixture
def processor() -> Iterator[Processor]:
    with Processor() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path: Path, processor: Processor) -> Home:
    """A home whose server pays through the processor, with the connector as the page prints it."""
    printed = [block.text for block in blocks(_PAGE) if block.kind == "python"]
    code = [text for text in printed if "def make_gateway" in text]
    assert len(code) == 1, "the page prints one connector to a gateway"
    (tmp_path / "processor_gateway.py").write_text(code[0])
    settings = {
        "GATEHOUSE_GATEWAY": "processor_gateway:make_gateway",
        "PROCESSOR_URL": f"http://127.0.0.1:{processor.server_port}",
        "PYTHONPATH": str(tmp_path),
    }
    return Home(tmp_path / "home", settings=settings).migrated()


def test_the_printed_connector_pays_and_takes_back(home: Home, processor: Processor) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:

        def pay(answer: bytes) -> dict[str, Any]:
            processor.asked.clear()
            processor.answer = answer
            said: dict[str, Any] = client.post("/api/v1/pipeline", json=_PURCHASE).json()
            return said

        approved = pay(b'{"approved": true, "responseCode": "00", "approvalCode": "A1"}')
        assert approved["pipelineResponse"]["gatewayResponse"] == {
            "status": "APPROVED",
            "responseCode": "00",
            "approvalCode": "A1",
        }
        assert processor.asked == [
            (
                "/authorizations",
                {
                    "reference": approved["requestId"],
                    "amountMinor": 5990,
                    "currency": "USD",
                    "number": _CARD,
                    "expiry": "2031-12",
                    "cvv2": "123",
                    "street": "1 Main Street",
                    "postalCode": "94105",
                },
            )
        ]
        declined = pay(b'{"approved": false, "responseCode": "05"}')
        assert declined["pipelineResponse"]["gatewayResponse"]["status"] == "DECLINED"
        assert not processor.reversed()
        for answer in (b"", b'{"responseCode": "00"}'):
            failed = pay(answer)
            assert failed["pipelineResponse"]["gatewayResponse"]["status"] == "ERROR"
            assert failed["billing"]["items"][-1]["completed"] is False
            until(processor.reversed)
            assert processor.reversed() == [
                {"reference": failed["requestId"], "amountMinor": 5990, "currency": "USD"}
            ]
            assert [path for path, _ in processor.asked].count("/authorizations") == 1
        assert _CARD not in server.log()


def test_doctor_loads_the_printed_connector(home: Home) -> None:
    report = home.run("doctor", "--json").json
    points = {point["name"]: point for point in report["points"]}
    assert points["payment gateway"]["ok"]
    assert points["payment gateway"]["found"] == "ProcessorGateway loads"
