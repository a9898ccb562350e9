"""The mapping for Adyen: what is sent, and what its results come to."""

import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.three_d_secure import ScaExemption
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.ids import new_id
from gatehouse.gateway.operating import Offer, OperationAnswer, OperationEnd
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults
from tests.connectors.http.asking import (
    EXPIRY,
    HOLDER,
    NUMBER,
    authorization,
    bare_enquiry,
    identity_enquiry,
    operation,
    reversal,
    stored,
)
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Reply
from tests.connectors.http.providers import (
    AMEX,
    CAVV,
    DISCOVER,
    DS_TRANSACTION,
    Provider,
    checking,
    finding,
    gateway,
    offering,
    operating,
    proven,
    with_holder,
    words,
)

AUTHORISED = {"resultCode": "Authorised", "pspReference": "993617895204576J"}
AVS = {
    "FULL_MATCH": (7, 20, 24),
    "STREET_MATCH": (1, 9, 12, 21, 25),
    "POSTCODE_MATCH": (6, 14, 15, 19, 23),
    "NO_MATCH": (2, 10, 13, 16, 17, 22, 26),
    "UNVERIFIABLE": (4, 5, 8, 11, 18),
    "RETRY": (3,),
    "UNKNOWN": (0, 99),
}


@pytest.fixture(scope="module")
def adyen(secret_file: Path, authority: Authority) -> Provider:
    return Provider("adyen", secret_file, authority, merchant_account="ExampleShop")


def test_a_card_is_checked_by_an_authorization_of_zero(adyen: Provider) -> None:
    heard = adyen.sent(checking(with_holder(HOLDER)), AUTHORISED)
    assert (heard.method, heard.path) == ("POST", "/payments")
    assert heard.headers["x-api-key"] == "t0ken-of-the-test"
    assert heard.headers["idempotency-key"] == "check-req_1"
    assert heard.json == {
        "merchantAccount": "ExampleShop",
        "reference": "check_req_1",
        "amount": {"value": 0, "currency": "USD"},
        "paymentMethod": {
            "type": "scheme",
            "number": "4242424242424242",
            "expiryMonth": "07",
            "expiryYear": "2030",
            "cvc": "123",
            "holderName": "Ann Archer",
        },
        "billingAddress": {
            "street": "Market Street",
            "houseNumberOrName": "1",
            "postalCode": "94105",
            "city": "NA",
            "country": "ZZ",
        },
        "shopperName": {"firstName": "Ann", "lastName": "Archer"},
        "paymentValidations": {"name": {"status": "requested"}},
        "returnUrl": "https://gatehouse.invalid/",
        "authenticationData": {"attemptAuthentication": "never"},
    }


def test_only_what_is_known_is_sent(adyen: Provider) -> None:
    sent = adyen.sent(checking(bare_enquiry()), AUTHORISED).json
    assert not {"billingAddress", "shopperName", "paymentValidations"} & set(sent)
    assert set(sent["paymentMethod"]) == {"type", "number", "expiryMonth", "expiryYear"}


@pytest.mark.parametrize(
    ("number", "brand"), [(NUMBER, "VISA"), (DISCOVER, "DISCOVER"), (AMEX, "AMEX")]
)
def test_address_results_become_words(adyen: Provider, number: Any, brand: str) -> None:
    cases = {f"{code} in Adyen's words": word for word, codes in AVS.items() for code in codes}
    answers = [AUTHORISED | {"additionalData": {"avsResult": text}} for text in cases]
    found = adyen.checks(answers, number)
    assert [words(each, brand)[1] for each in found] == list(cases.values())


def test_code_results_become_words(adyen: Provider) -> None:
    texts = ("0 Unknown", "1 Matches", "2 Differs", "3 Not checked", "4 -", "5 -", "6 -")
    found = adyen.checks(AUTHORISED | {"additionalData": {"cvcResult": text}} for text in texts)
    assert [words(each)[2] for each in found] == [
        "UNKNOWN",
        "MATCH",
        "NO_MATCH",
        "NOT_PROCESSED",
        "NOT_PROVIDED",
        "UNVERIFIABLE",
        "NOT_PROVIDED",
    ]


@pytest.mark.parametrize(
    ("codes", "advice"),
    [
        ((2, 3, 5, 10, 11, 12, 16, 18, 19, 23, 25, 26, 27, 28, 29, 32, 33, 38, 46), "DECLINE"),
        ((4, 9, 21), "RETRY"),
        ((14, 20, 22, 31), "FRAUD"),
        ((6, 7, 8, 17), "INPUT_ERROR"),
        ((24,), "ACCEPT"),  # the code did not match: the policy decides
    ],
)
def test_refusals_become_advice(adyen: Provider, codes: tuple[int, ...], advice: str) -> None:
    refused = {"resultCode": "Refused"}
    found = adyen.checks(refused | {"refusalReasonCode": str(code)} for code in codes)
    assert [words(each)[0] for each in found] == [advice] * len(codes)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (AUTHORISED | {"refusalReasonCode": "0"}, "00"),
        ({"resultCode": "Refused"}, "05"),
        ({"resultCode": "Cancelled", "refusalReasonCode": "20"}, "59"),
        ({"resultCode": "Error", "refusalReasonCode": "4"}, "96"),
        ({"resultCode": "Error"}, "96"),
        ({"resultCode": "RedirectShopper"}, "1A"),
        ({"resultCode": "IdentifyShopper"}, "1A"),
    ],
)
def test_results_become_response_codes(adyen: Provider, answer: Any, code: str) -> None:
    [found] = adyen.checks([answer])
    assert found.response_code == code


def test_a_result_that_says_nothing_about_the_card_is_no_answer(adyen: Provider) -> None:
    found = adyen.checks([{"resultCode": "Pending"}, {"resultCode": "Received"}, {}])
    assert [type(each) for each in found] == [ConnectorFailed] * 3


def test_name_validation_becomes_words(adyen: Provider) -> None:
    decisions = {
        "match": Result.MATCH,
        "partialMatch": Result.PARTIAL_MATCH,
        "noMatch": Result.NO_MATCH,
    }
    parts = ("firstName", "middleName", "lastName", "fullName")
    replies = [
        Reply(
            AUTHORISED
            | {
                "paymentValidations": {
                    "name": {"status": "performed", "result": dict.fromkeys(parts, word)}
                }
            }
        )
        for word in decisions
    ]
    found, heard = adyen.ask(replies, finding(identity_enquiry()))
    assert found == [
        HolderResults(
            first_name=result,
            middle_name=result,
            last_name=result,
            name=result,
            name_result=NameResult.PERFORMED,
        )
        for result in decisions.values()
    ]
    assert heard[0].json["reference"] == "name_req_1"
    assert "cvc" not in heard[0].json["paymentMethod"]

    statuses = {
        "notPerformed": NameResult.NOT_PERFORMED,
        "notSupported": NameResult.NOT_SUPPORTED,
    }
    replies = [
        Reply(AUTHORISED | {"paymentValidations": {"name": {"status": word}}}) for word in statuses
    ]
    found, _ = adyen.ask(replies, checking(with_holder(HOLDER)))
    assert [each.also.find(HolderResults).name_result for each in found] == list(statuses.values())


def test_an_issuer_that_was_not_reached_compared_nothing(adyen: Provider) -> None:
    replies = [Reply({"resultCode": word}) for word in ("Error", "Pending", "Refused")]
    found, _ = adyen.ask(replies, finding(identity_enquiry()))
    assert [type(each) for each in found] == [ConnectorFailed, ConnectorFailed, HolderResults]


def test_without_a_name_there_is_nothing_to_ask(adyen: Provider) -> None:
    nameless = IdVerifyRequest(NUMBER, EXPIRY, "ann@example.com")
    asked = msgspec.structs.replace(identity_enquiry(), request=nameless)
    [found], heard = adyen.ask([Reply(AUTHORISED)], finding(asked))
    assert isinstance(found, ConnectorFailed)
    assert not found.sent
    assert heard == []


def test_a_payment_is_asked_for_with_what_3d_secure_found(adyen: Provider) -> None:
    found_by = proven(exemption=ScaExemption.LOW_VALUE)
    paid = msgspec.structs.replace(authorization(), three_d_secure=found_by)
    answer = AUTHORISED | {"additionalData": {"authCode": "044925"}}
    [found], [heard] = adyen.ask([Reply(answer)], lambda each: gateway(each).authorize(paid))
    assert (found.approved, found.response_code, found.approval_code) == (True, "00", "044925")
    assert found.reference == "993617895204576J"
    assert heard.headers["idempotency-key"] == "pay-req_1"
    assert heard.json["amount"] == {"value": 1050, "currency": "USD"}
    assert heard.json["reference"] == "req_1"
    assert heard.json["mpiData"] == {
        "cavv": CAVV,
        "eci": "05",
        "directoryResponse": "Y",
        "dsTransID": DS_TRANSACTION,
        "threeDSVersion": "2.2.0",
    }
    assert heard.json["additionalData"] == {"scaExemption": "lowValue"}


def test_payments_are_refused_or_left_to_be_reversed(adyen: Provider) -> None:
    refused = {"resultCode": "Refused", "refusalReasonCode": "12"}
    challenged = {"resultCode": "ChallengeShopper"}
    doubtful = [{"resultCode": each} for each in ("Error", "PartiallyAuthorised", "Pending")]
    found = adyen.payments([refused, challenged, {"resultCode": "Refused"}, *doubtful])
    assert [(each.approved, each.response_code) for each in found[:3]] == [
        (False, "51"),
        (False, "1A"),
        (False, "05"),
    ]
    assert [(type(each), each.sent) for each in found[3:]] == [(ConnectorFailed, True)] * 3


def test_a_payment_is_taken_back_by_adyens_name_for_it_or_by_ours(adyen: Provider) -> None:
    received = {"status": "received", "pspReference": "993617894906488A"}
    [found], [heard] = adyen.ask(
        [Reply(received, 201)], lambda each: gateway(each).reverse(reversal("993617895204576J"))
    )
    assert found is None
    assert heard.path == "/payments/993617895204576J/reversals"
    assert heard.json == {"merchantAccount": "ExampleShop", "reference": "undo_req_1"}

    replies = [Reply(received, 201), Reply({"status": "other"}, 201), Reply({}, 500)]
    found, heards = adyen.ask(replies, lambda each: gateway(each).reverse(reversal()))
    assert heards[0].path == "/cancels"
    assert heards[0].headers["idempotency-key"] == "undo-req_1"
    assert heards[0].json == {
        "merchantAccount": "ExampleShop",
        "paymentReference": "req_1",
        "reference": "undo_req_1",
    }
    assert [type(each) for each in found] == [type(None), ConnectorFailed, ConnectorFailed]


def test_a_reversal_by_our_reference_does_not_overtake_its_payment(adyen: Provider) -> None:
    young = new_id("req", round(time.time() * 1000), os.urandom)
    asked = msgspec.structs.replace(reversal(), request_id=young)
    [found], heard = adyen.ask([Reply({})], lambda each: gateway(each).reverse(asked))
    assert isinstance(found, ConnectorFailed)
    assert (found.sent, found.answered) == (False, True)
    assert heard == []


@pytest.mark.parametrize(
    ("said", "interaction", "model"),
    [
        (("CUSTOMER", "FIRST"), "Ecommerce", "CardOnFile"),
        (("CUSTOMER", "FIRST", "RECURRING"), "Ecommerce", "Subscription"),
        (("CUSTOMER", "LATER"), "ContAuth", "CardOnFile"),
        (("MERCHANT", "LATER", "RECURRING"), "ContAuth", "Subscription"),
        (("MERCHANT", "LATER", "NO_SHOW"), "ContAuth", "UnscheduledCardOnFile"),
    ],
)
def test_a_stored_card_is_told_by_its_use_and_its_first_payment(
    adyen: Provider, said: tuple[str, ...], interaction: str, model: str
) -> None:
    answer = AUTHORISED | {"additionalData": {"networkTxReference": "481930"}}
    paid = stored(*said)
    [found], [heard] = adyen.ask([Reply(answer)], lambda each: gateway(each).authorize(paid))
    assert found.network_transaction_id == "481930"
    sent = heard.json
    assert (sent["shopperInteraction"], sent["recurringProcessingModel"]) == (interaction, model)
    by_merchant = said[0] == "MERCHANT"
    assert ("cvc" in sent["paymentMethod"]) is not by_merchant
    named = sent.get("additionalData", {})
    assert named.get("networkTxReference") == ("777718270854480" if by_merchant else None)
    assert named.get("industryUsage") == ("NoShow" if "NO_SHOW" in said else None)


@pytest.mark.parametrize(("kind", "path"), [("CAPTURE", "captures"), ("REFUND", "refunds")])
def test_a_capture_or_refund_is_received_and_its_end_told_later(
    adyen: Provider, kind: str, path: str
) -> None:
    asked = operation(kind, "993617895204576J")
    amount = {"value": 400, "currency": "USD"}
    received = {"status": "received", "pspReference": "993617894906488A", "amount": amount}
    replies = [
        Reply(received, 201),
        Reply({"errorCode": "137", "status": 422}, 422),
        Reply({"errorCode": "704", "status": 422}, 422),
        Reply(received | {"amount": {"value": 401, "currency": "USD"}}, 201),
        Reply({"status": "other"}, 201),
    ]
    found, heards = adyen.ask(replies, operating(asked))
    assert heards[0].path == f"/payments/993617895204576J/{path}"
    assert heards[0].headers["idempotency-key"] == "op_1"
    assert heards[0].json == {
        "merchantAccount": "ExampleShop",
        "reference": "op_1",
        "amount": amount,
    }
    assert found[:2] == [
        OperationAnswer(OperationEnd.PENDING, None, "993617894906488A"),
        OperationAnswer(OperationEnd.REFUSED, "137"),
    ]
    assert [(type(each), each.sent) for each in found[2:]] == [(ConnectorFailed, True)] * 3
    [offer], _ = adyen.ask([Reply({})], offering(asked))
    assert offer is Offer.REPEATABLE
