"""The gateway's connector in docs/operations.md is taken from the page and run by a real server."""

from pathlib import Path
from typing import Any

import pytest

from tests.docs.processor import CARD, Processor, write_connector
from tests.harness import Home, sandbox_key, until

_PURCHASE = {
    "pipelineId": 1,
    "preCheckRequest": {
        "cardNumber": CARD,
        "cardExpiryDate": "2031-12",
        "cardCvv2Value": "123",
        "cardAddress": {"street": "1 Main Street", "postalCode": "94105"},
    },
    "gatewayRequest": {"amount": 59.9, "currency": "USD"},
}


@pytest.fixture
def home(tmp_path: Path, processor: Processor) -> Home:
    """A home whose server pays through the processor, with the connector as the page prints it."""
    settings = {
        "GATEHOUSE_GATEWAY": write_connector("gateway", tmp_path),
        "PROCESSOR_URL": processor.url,
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
            "paymentId": None,
            "party": None,
            "networkTransactionId": None,
        }
        assert processor.asked == [
            (
                "/authorizations",
                {
                    "reference": approved["requestId"],
                    "amountMinor": 5990,
                    "currency": "USD",
                    "number": CARD,
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
        assert CARD not in server.log()


def test_doctor_loads_the_printed_connector(home: Home) -> None:
    report = home.run("doctor", "--json").json
    points = {point["name"]: point for point in report["points"]}
    assert points["payment gateway"]["ok"]
    assert points["payment gateway"]["found"] == "ProcessorGateway loads"
