"""The connector printed in docs/operations.md is taken from the page and run by a real server."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks
from tests.harness import BODY, Home, precheck, sandbox_key

_PAGE = (ROOT / "docs/operations.md").read_text()
# Not the card that the server's own greeting shows, so that the log can be searched for it.
_CARD = "5555555555554444"


class Processor(ThreadingHTTPServer):
    """A processor on this machine that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: bytes = b""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/enquiries"


class _Handler(BaseHTTPRequestHandler):
    server: Processor

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(json.loads(body))
        self.send_response(200 if self.server.answer else 500)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

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
    """A home whose server asks the processor, with the connector as the page prints it."""
    printed = [block.text for block in blocks(_PAGE) if block.kind == "python"]
    code = [text for text in printed if "def make_issuer" in text]
    assert len(code) == 1, "the page prints one connector to an issuer"
    (tmp_path / "processor_issuer.py").write_text(code[0])
    assert "GATEHOUSE_ISSUER=processor_issuer:make_issuer" in _PAGE
    settings = {
        "GATEHOUSE_ISSUER": "processor_issuer:make_issuer",
        "GATEHOUSE_GATEWAY": "none",
        "PROCESSOR_URL": processor.url,
        "PYTHONPATH": str(tmp_path),
    }
    return Home(tmp_path / "home", settings=settings)


def test_the_printed_connector_asks_and_answers(home: Home, processor: Processor) -> None:
    processor.answer = b'{"responseCode": "05", "avs": "Z", "cvv2": "M"}'
    with home.server() as server, server.client(sandbox_key(home)) as client:
        answer = precheck(client, {**BODY, "cardNumber": _CARD}).json()
        log = server.log()
    assert answer["preCheckResponse"]["advice"] == "DECLINE"
    assert answer["preCheckResponse"]["avsResult"] == "POSTCODE_MATCH"
    assert answer["preCheckResponse"]["cvv2Result"] == "MATCH"
    assert answer["preCheckResponse"]["reasons"] == ["do_not_honor"]
    assert processor.asked == [
        {
            "reference": answer["requestId"],
            "number": _CARD,
            "expiry": BODY["cardExpiryDate"],
            "cvv2": BODY["cardCvv2Value"],
            "street": BODY["cardAddress"]["street"],
            "postalCode": BODY["cardAddress"]["postalCode"],
        }
    ]
    assert _CARD not in log


def test_a_processor_that_fails_costs_the_caller_nothing(home: Home, processor: Processor) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:
        for number, answer in enumerate([b"", b"not JSON", b'{"avs": "Y"}'], 1):
            processor.answer = answer
            said = precheck(client).json()
            assert len(processor.asked) == number
            assert said["preCheckResponse"]["advice"] == "RETRY"
            assert said["preCheckResponse"]["reasons"] == ["issuer_unavailable"]
            assert said["billing"]["items"][0]["completed"] is False
            assert said["billing"]["amountClosed"]["amount"] == 0


def test_doctor_loads_the_printed_connector(home: Home) -> None:
    report = home.run("doctor", "--json").json
    points = {point["name"]: point for point in report["points"]}
    assert points["issuer connector"]["ok"]
    assert points["issuer connector"]["found"] == "ProcessorIssuer loads"


def test_the_printed_settings_make_production_ready(home: Home, tmp_path: Path) -> None:
    """With the page's own settings file; only paths, database and secret are filled in."""
    lines = next(block.text for block in blocks(_PAGE) if block.kind == "ini").splitlines()
    filled = {
        "GATEHOUSE_HOME": str(tmp_path / "var"),
        "GATEHOUSE_DATABASE_URL": "",
        "GATEHOUSE_SECRET_KEY": "s" * 43,
        "GATEHOUSE_METRICS_PORT": "1",
    }
    names = [line.partition("=")[0] for line in lines]
    assert set(filled) < set(names)
    kept = [line for line in lines if line.partition("=")[0] not in filled]
    (tmp_path / "env").write_text("\n".join([*kept, *(f"{k}={v}" for k, v in filled.items())]))
    environ = {**home.settings, "GATEHOUSE_ENV_FILE": str(tmp_path / "env")}
    del environ["GATEHOUSE_ISSUER"]
    production = Home(tmp_path / "var", settings=environ)
    assert production.run("serve").code == 5, "nothing is made by itself"
    production.ok("migrate")
    report = production.ok("doctor", "--json").json
    assert report["ready"], report
