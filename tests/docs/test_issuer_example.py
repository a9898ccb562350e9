"""The connector printed in docs/operations.md is taken from the page and run by a real server."""

import secrets
from pathlib import Path

import pytest

from tests.docs.pages import blocks
from tests.docs.processor import CARD, PAGE, Processor, write_connector
from tests.harness import BODY, Home, precheck, sandbox_key


@pytest.fixture
def home(tmp_path: Path, processor: Processor) -> Home:
    """A home whose server asks the processor, with the connector as the page prints it."""
    factory = write_connector("issuer", tmp_path)
    assert f"GATEHOUSE_ISSUER={factory}" in PAGE
    settings = {
        "GATEHOUSE_ISSUER": factory,
        "GATEHOUSE_GATEWAY": "none",
        "PROCESSOR_URL": f"{processor.url}/enquiries",
        "PYTHONPATH": str(tmp_path),
    }
    return Home(tmp_path / "home", settings=settings)


def test_the_printed_connector_asks_and_answers(home: Home, processor: Processor) -> None:
    processor.answer = b'{"responseCode": "05", "avs": "Z", "cvv2": "M"}'
    with home.server() as server, server.client(sandbox_key(home)) as client:
        answer = precheck(client, {**BODY, "cardNumber": CARD}).json()
        log = server.log()
    assert answer["preCheckResponse"]["advice"] == "DECLINE"
    assert answer["preCheckResponse"]["avsResult"] == "POSTCODE_MATCH"
    assert answer["preCheckResponse"]["cvv2Result"] == "MATCH"
    assert answer["preCheckResponse"]["reasons"] == ["do_not_honor"]
    [(path, question)] = processor.asked
    assert path == "/enquiries"
    assert question == {
        "reference": answer["requestId"],
        "number": CARD,
        "expiry": BODY["cardExpiryDate"],
        "cvv2": BODY["cardCvv2Value"],
        "street": BODY["cardAddress"]["street"],
        "postalCode": BODY["cardAddress"]["postalCode"],
    }
    assert CARD not in log


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
    lines = next(block.text for block in blocks(PAGE) if block.kind == "ini").splitlines()
    filled = {
        "GATEHOUSE_HOME": str(tmp_path / "var"),
        "GATEHOUSE_DATABASE_URL": "",
        "GATEHOUSE_SECRET_KEY": secrets.token_urlsafe(32),
        "GATEHOUSE_METRICS_PORT": "1",
    }
    names = [line.partition("=")[0] for line in lines]
    assert set(filled) < set(names)
    kept = [line for line in lines if line.partition("=")[0] not in filled]
    (tmp_path / "env").write_text("\n".join([*kept, *(f"{k}={v}" for k, v in filled.items())]))
    (tmp_path / "env").chmod(0o600)
    environ = {**home.settings, "GATEHOUSE_ENV_FILE": str(tmp_path / "env")}
    del environ["GATEHOUSE_ISSUER"]
    production = Home(tmp_path / "var", settings=environ)
    assert production.run("serve").code == 5, "nothing is made by itself"
    production.ok("migrate")
    report = production.ok("doctor", "--json").json
    assert report["ready"], report
