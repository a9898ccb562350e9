"""The journal of the reference host: what is in it, what never is, and what follows from it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gatehouse.connectors.iso8583.roles import MessageKind
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome, JournalLine
from gatehouse.connectors.reference_host.memory import HostMemory
from gatehouse.core.cards.redaction import MASK, recordable
from gatehouse.core.errors import Conflict, InvalidInput
from tests.connectors.reference_host.hosts import CARD, STREET, HostThread, host_thread

_PAYMENT = {"amountMinor": 5990, "currency": "USD", "cardNumber": CARD, "expiry": "2035-12"}
_SECRETS = {"securityCode": "739", "address": {"street": STREET, "postalCode": "SW1A 1AA"}}
_HOLDER = {
    "name": {"first": "Amelia", "last": "Whitfield"},
    "email": "amelia.whitfield@example.com",
    "phone": "+14155550132",
    "identifiers": {"PASSPORT": "543210987"},
}


def _lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def _ask_everything(host: HostThread, name: str) -> None:
    """Messages with everything that is secret or personal, over both protocols."""
    card = {"requestId": name, "cardNumber": CARD, "expiry": "2035-12"}
    host.post("/v1/cards/check", **card, **_SECRETS, holder=_HOLDER)
    host.post("/v1/identities/verify", **card, holder=_HOLDER)
    host.post("/v1/payments", reference=name, **_PAYMENT, **_SECRETS)
    host.client.post("/v1/payments", json={"reference": CARD, **_PAYMENT})
    host.client.post("/v1/payments", json={**_PAYMENT, "cardNumber": CARD + "1"})
    body = {"reference": name, "amountMinor": 5990, "currency": "USD"}
    host.post("/v1/payments/reversals", **body)
    with host.iso8583() as caller:
        asked = {"number": CARD, "expiry": "3512", "security_code": "739", "street": STREET}
        names = {"first_name": "Amelia", "last_name": "Whitfield"}
        caller.ask(MessageKind.CHECK, rrn="ABCDEF123456", **asked, **names)
        caller.ask(MessageKind.AUTHORIZE, rrn="ABCDEF123456", **asked, amount="000000005990")
        caller.send_framed(CARD.encode())
        assert caller.hears_nothing()


def test_no_card_number_no_code_and_no_name_is_ever_written(
    host: HostThread, journal: Path
) -> None:
    _ask_everything(host, "secrets-1")
    with host.misbehaving("slow", slow_ms=1):
        _ask_everything(host, "secrets-2")
    text = journal.read_text()
    assert text.count("\n") > 30
    assert MASK not in recordable(text)
    for secret in (CARD, "739", "Amelia", "Whitfield", "example.com", "543210987", "Market"):
        assert re.search(rf"\b{secret}\b", text) is None, secret
    named = {name for line in _lines(journal) for name in line}
    assert named <= {
        *("at", "direction", "protocol", "kind", "outcome", "reference", "stan", "amountMinor"),
        *("currency", "bin", "lastFour", "code", "approvalCode", "fate", "duplicate"),
    }


def test_a_message_and_its_answer_are_a_line_each(host: HostThread, journal: Path) -> None:
    host.post("/v1/payments", reference="lines-1", **_PAYMENT)
    received, sent = (line for line in _lines(journal) if line.get("reference") == "lines-1")
    assert (received["direction"], sent["direction"]) == ("received", "sent")
    for line in (received, sent):
        del line["at"], line["direction"]
    assert received == sent
    assert received == {
        "protocol": "http",
        "kind": "authorize",
        "outcome": "approved",
        "reference": "lines-1",
        "amountMinor": 5990,
        "currency": "USD",
        "bin": "42424242",
        "lastFour": "4242",
        "code": "00",
        "approvalCode": received["approvalCode"],
    }


def test_a_reference_that_holds_a_card_number_is_refused(host: HostThread) -> None:
    answer = host.client.post("/v1/payments", json={"reference": f"order {CARD}", **_PAYMENT})
    assert answer.status_code == 422
    assert answer.json() == {"error": "reference: must not hold a card number"}


def test_a_host_that_reads_its_journal_back_knows_what_it_knew(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    reversal = {"amountMinor": 5990, "currency": "USD"}
    with host_thread(journal_file=journal) as host:
        first = host.post("/v1/payments", reference="kept-1", **_PAYMENT)
        host.post("/v1/payments/reversals", reference="kept-2", **reversal)
        before = host.summary()
    with journal.open("a") as file:
        file.write('{"at":"2026-11-16T09:00:00.000Z","direction":"recei')
    for _ in range(2):
        with host_thread(journal_file=journal, resume=True) as host:
            after = host.summary()
            assert {**after, "connections": 0} == {**before, "connections": 0}
            assert host.post("/v1/payments", reference="kept-1", **_PAYMENT) == first
            assert host.post("/v1/payments", reference="kept-2", **_PAYMENT)["approved"] is False
            before = host.summary()
            assert before["duplicates"] >= 1
    with pytest.raises(Conflict, match="--resume"), host_thread(journal_file=journal):
        pass


def test_a_file_that_is_no_journal_is_not_gone_on_with(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"cardNumber": "x"}\n')
    with pytest.raises(InvalidInput, match="line 1 is not of a journal"):
        with host_thread(journal_file=other, resume=True):
            pass
    assert other.read_text() == '{"cardNumber": "x"}\n'


def test_the_oldest_payment_is_forgotten_when_there_are_too_many() -> None:
    memory = HostMemory(most=2)
    for reference in ("a", "b", "c"):
        line = JournalLine(
            at="",
            direction="received",
            protocol="http",
            kind=HostKind.AUTHORIZE,
            outcome=HostOutcome.APPROVED,
            reference=reference,
        )
        memory.note(line)
    assert memory.find("a") is None
    assert memory.find("c") is not None
    assert memory.summary.approved == 3
