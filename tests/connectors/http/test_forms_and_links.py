"""Parties that take forms, tell of an address in two fields, or answer with links."""

import asyncio
import json
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
import pytest

from gatehouse.connectors.http.options import HttpDefinition
from gatehouse.connectors.http.reading import read_mapping
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.errors import ConnectorFailed
from tests.connectors.http.asking import (
    authorization,
    connected,
    enquiry,
    operation,
    reversal,
    stored,
)
from tests.connectors.http.party import Heard, Reply, serving
from tests.connectors.http.providers import Work, attempted, checking, gateway, operating
from tests.docs.pages import ROOT, blocks

_PAGE: Final = (ROOT / "docs" / "http-mappings.md").read_text()
_EXAMPLES: Final = {
    block.text.split()[1]: block.text
    for block in blocks(_PAGE)
    if block.kind == "yaml" and block.text.startswith("mapping:")
}
_CARD: Final = "payment_method_data[card]"


def ask(
    name: str, monkeypatch: pytest.MonkeyPatch, work: Work, *replies: Reply
) -> tuple[list[Any], list[Heard], str]:
    """What the work comes to with each reply, what was heard, and the party's address."""
    mapping = read_mapping(_EXAMPLES[name].encode())
    monkeypatch.setenv("EXAMPLE_SECRET", "s3cret")
    waiting = iter(replies)

    async def run() -> tuple[list[Any], list[Heard], str]:
        async with serving(lambda _heard: next(waiting), None) as party:
            made = HttpDefinition(
                mapping=mapping,
                base_url=party.url,
                secrets=dict.fromkeys(mapping.secrets, "env:EXAMPLE_SECRET"),
                options={"narrative": "Shop"} if "narrative" in mapping.options else {},
            )
            async with connected(made) as connector:
                found = [await attempted(work, connector) for _ in replies]
            return found, party.heard, party.url

    return asyncio.run(run())


def form(heard: Heard) -> dict[str, str]:
    assert heard.headers["content-type"] == "application/x-www-form-urlencoded"
    return dict(parse_qsl(heard.body.decode(), strict_parsing=True))


def checked(street: str | None, postcode: str | None, code: str = "pass") -> Reply:
    checks = {"cvc_check": code}
    checks |= {} if street is None else {"address_line1_check": street}
    checks |= {} if postcode is None else {"address_postal_code_check": postcode}
    return Reply({"status": "succeeded", "payment_method": {"card": {"checks": checks}}})


def test_a_form_names_members_of_members_in_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = msgspec.structs.replace(enquiry(), street="1 Å & B=C", city="Ulm", country="DE")
    _, [heard], _ = ask("stripe-like", monkeypatch, checking(asked), checked("pass", "pass"))
    address = "payment_method_data[billing_details][address]"
    assert form(heard) == {
        "confirm": "true",
        "payment_method_types[0]": "card",
        "expand[0]": "payment_method",
        "payment_method_data[type]": "card",
        f"{_CARD}[number]": "4242424242424242",
        f"{_CARD}[exp_month]": "07",
        f"{_CARD}[exp_year]": "2030",
        f"{_CARD}[cvc]": "123",
        f"{address}[line1]": "1 Å & B=C",
        f"{address}[postal_code]": "94105",
        f"{address}[city]": "Ulm",
        f"{address}[country]": "DE",
    }


def test_two_results_about_an_address_are_one_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = {
        ("pass", "pass"): "Y",
        ("pass", "fail"): "A",
        ("unchecked", "pass"): "Z",
        (None, "pass"): "Z",
        ("pass", None): "A",
        ("fail", "fail"): "N",
        ("unavailable", "unavailable"): "U",
        (None, None): None,
    }
    replies = [checked(*each) for each in letters]
    found, _, _ = ask("stripe-like", monkeypatch, checking(enquiry()), *replies)
    assert [each.avs_letter for each in found] == list(letters.values())


def test_refusals_have_their_own_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = [
        Reply({"error": {"code": "card_declined", "decline_code": "insufficient_funds"}}, 402),
        Reply({"error": {"code": "expired_card"}}, 402),
        Reply({"error": {"code": "something_new"}}, 402),
        Reply({"status": "requires_action"}),
    ]
    found, _, _ = ask("stripe-like", monkeypatch, checking(enquiry()), *refused)
    assert [each.response_code for each in found] == ["51", "54", "05", "1A"]


def test_a_payment_by_form_is_cancelled_by_its_long_id(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "pi_" + "a" * 509
    paying = lambda each: gateway(each).authorize(authorization("req_1"))  # noqa: E731
    approved = Reply({"status": "requires_capture", "id": long})
    [answer], [heard], _ = ask("stripe-like", monkeypatch, paying, approved)
    assert (answer.approved, answer.payment_id, answer.reference) == (True, long, long)
    assert form(heard)["capture_method"] == "manual"

    undoing = lambda each: gateway(each).reverse(reversal(long))  # noqa: E731
    canceled = Reply({"status": "canceled"})
    already = Reply({"error": {"payment_intent": {"status": "canceled"}}}, 400)
    found, heard_also, _ = ask("stripe-like", monkeypatch, undoing, canceled, already)
    assert found == [None, None]
    assert heard_also[0].path == f"/v1/payment_intents/{long}/cancel"


def test_a_stored_card_is_charged_by_form_and_what_was_charged_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paid = stored("MERCHANT", "LATER", "RECURRING")
    charge = {"payment_method_details": {"card": {"network_transaction_id": "1001"}}}
    approved = Reply({"status": "requires_capture", "id": "pi_1", "latest_charge": charge})
    [answer], [heard], _ = ask(
        "stripe-like", monkeypatch, lambda each: gateway(each).authorize(paid), approved
    )
    assert answer.network_transaction_id == "1001"
    sent = form(heard)
    exemption = "payment_method_options[card][mit_exemption][network_transaction_id]"
    assert (sent[exemption], sent["off_session"]) == ("777718270854480", "true")
    assert "setup_future_usage" not in sent

    for kind, field in (("CAPTURE", "amount_to_capture"), ("REFUND", "amount")):
        asked = operation(kind, "pi_1")
        done = Reply({"status": "succeeded", "id": "re_1", "latest_charge": "ch_1", "amount": 400})
        [ended], [told], _ = ask("stripe-like", monkeypatch, operating(asked), done)
        assert ended.end == "SUCCEEDED"
        assert form(told)[field] == "400"


@pytest.mark.parametrize(
    ("credential", "agreement"),
    [
        (("CUSTOMER", "FIRST"), {"type": "cardOnFile", "storedCardUsage": "first"}),
        (("CUSTOMER", "LATER"), {"type": "cardOnFile", "storedCardUsage": "subsequent"}),
        (
            ("CUSTOMER", "FIRST", "RECURRING"),
            {"type": "subscription", "storedCardUsage": "first"},
        ),
        (
            ("MERCHANT", "LATER", "INSTALMENT"),
            {
                "type": "installment",
                "storedCardUsage": "subsequent",
                "installmentType": "merchant",
                "schemeReference": "777718270854480",
            },
        ),
        (
            ("MERCHANT", "LATER", "NO_SHOW"),
            {"type": "unscheduled", "schemeReference": "777718270854480"},
        ),
        (None, None),
    ],
)
def test_a_stored_card_is_charged_by_an_agreement_with_the_customer(
    credential: tuple[str, ...] | None,
    agreement: dict[str, str] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paid = authorization("req_1") if credential is None else stored(*credential)
    approved = {"outcome": "authorized", "paymentId": "pay_1", "schemeReference": "MCC01T1C0104  "}
    paying = lambda each: gateway(each).authorize(paid)  # noqa: E731
    [answer], [heard], _ = ask("worldpay-like", monkeypatch, paying, Reply(approved))
    assert answer.network_transaction_id == "MCC01T1C0104"
    sent = json.loads(heard.body)["instruction"]
    assert sent.get("customerAgreement") == agreement


def test_a_payment_without_an_answer_is_not_cancelled_by_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    undoing = lambda each: gateway(each).reverse(reversal(None))  # noqa: E731
    [failure], heard, _ = ask("stripe-like", monkeypatch, undoing, Reply({}))
    assert isinstance(failure, ConnectorFailed)
    assert heard == []


@pytest.mark.parametrize("link", ["/api/payments/eyJ%3D.x%2By/cancellations", ""])
def test_a_link_of_the_party_itself_is_followed(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paying = lambda each: gateway(each).authorize(authorization("req_1"))  # noqa: E731
    approved = {"outcome": "authorized", "paymentId": "pay_1"}
    actions = {"_actions": {"cancelPayment": {"href": link}}} if link else {}
    [answer], _, _ = ask("worldpay-like", monkeypatch, paying, Reply(approved | actions))
    assert answer.payment_id == "pay_1"
    undoing = lambda each: gateway(each).reverse(reversal(answer.reference))  # noqa: E731
    done = Reply({"outcome": "sentForCancellation"})
    [found], heard, _ = ask("worldpay-like", monkeypatch, undoing, done)
    if link:
        assert (found, [each.path for each in heard]) == (None, [link])
    else:
        assert (isinstance(found, ConnectorFailed), heard) == (True, [])


@pytest.mark.parametrize(
    "link",
    [
        "https://elsewhere.example/cancel",
        "https://127.0.0.1/cancel",
        "http://127.0.0.1/cancel",
        "//elsewhere.example/cancel",
        "https://user@elsewhere.example/x",
        "https://[::1/x",
        "/cancel#part",
        "/with blank",
        "ftp://x/y",
        "cancel",
        "/" + "x" * 2_000,
    ],
)
def test_a_link_that_leads_elsewhere_is_none(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paying = lambda each: gateway(each).authorize(authorization("req_1"))  # noqa: E731
    found = {"outcome": "authorized", "paymentId": "pay_1"}
    reply = Reply(found | {"_actions": {"cancelPayment": {"href": link}}})
    [answer], _, _ = ask("worldpay-like", monkeypatch, paying, reply)
    assert (answer.approved, answer.reference) == (True, "pay_1 -")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("    body: {cancellation_reason: abandoned}", '    body: "text"', "sent as a form"),
        (
            'headers: {Idempotency-Key: "check-{request.id}"}',
            'headers: {Content-Type: "application/json"}',
            "does not fit the body",
        ),
        ("      table: avs", "      unknown: skip", "needs a table"),
        ("/v1/payment_intents/{payment.id}/cancel", "/x{payment.link}", "a whole path"),
        ("/v1/payment_intents/{payment.id}/cancel", '"{payment.link}"', "must name payment.link"),
    ],
)
def test_what_contradicts_itself_is_refused(before: str, after: str, said: str) -> None:
    text = _EXAMPLES["stripe-like"]
    assert before in text
    with pytest.raises(DocumentRefused, match=said):
        read_mapping(text.replace(before, after).encode())
