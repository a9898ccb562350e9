"""The mapping for CyberSource: what is sent and signed, and what its words come to."""

import base64
import hashlib
import hmac
import os
import re
import time
from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.three_d_secure import Eci
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.ids import new_id
from gatehouse.gateway.operating import Offer, OperationAnswer, OperationEnd
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults
from tests.connectors.http.asking import (
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
    MASTERCARD,
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

AUTHORIZED = {"status": "AUTHORIZED", "id": "6869460219566537303955"}
AVS = {
    "FULL_MATCH": "D H J M Q V X Y 3",
    "STREET_MATCH": "A B O T",
    "POSTCODE_MATCH": "F L P W Z",
    "NO_MATCH": "C K N 4",
    "UNVERIFIABLE": "E G I U S 1",
    "RETRY": "R",
    "UNKNOWN": "2",
}


@pytest.fixture(scope="module")
def cybersource(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Provider:
    secret = tmp_path_factory.mktemp("cybersource") / "key"
    secret.write_text(base64.b64encode(b"shared secret").decode())
    return Provider("cybersource", secret, authority, merchant_id="exampleshop")


def processed(**found: Any) -> dict[str, Any]:
    return AUTHORIZED | {"processorInformation": found}


def declined(reason: str, status: str = "DECLINED") -> dict[str, Any]:
    return {"status": status, "errorInformation": {"reason": reason}}


def test_a_card_is_checked_by_an_authorization_of_zero(cybersource: Provider) -> None:
    heard = cybersource.sent(checking(with_holder(HOLDER)), AUTHORIZED)
    assert (heard.method, heard.path) == ("POST", "/pts/v2/payments")
    assert heard.json == {
        "clientReferenceInformation": {"code": "check_req_1"},
        "processingInformation": {
            "commerceIndicator": "internet",
            "authorizationOptions": {"ignoreAvsResult": "true", "ignoreCvResult": "true"},
        },
        "paymentInformation": {
            "card": {
                "number": "4242424242424242",
                "expirationMonth": "07",
                "expirationYear": "2030",
                "type": "001",
                "securityCode": "123",
            }
        },
        "orderInformation": {
            "amountDetails": {"totalAmount": "0.00", "currency": "USD"},
            "billTo": {
                "firstName": "Ann",
                "lastName": "Archer",
                "email": "ann@example.com",
                "phoneNumber": "14155550132",
                "address1": "1 Market Street",
                "postalCode": "94105",
            },
        },
    }


def test_a_request_is_signed_as_cybersource_signs_it(cybersource: Provider) -> None:
    heard = cybersource.sent(checking(bare_enquiry()), AUTHORIZED)
    headers = heard.headers
    digest = base64.b64encode(hashlib.sha256(heard.body).digest()).decode()
    assert headers["digest"] == f"SHA-256={digest}"
    assert headers["v-c-merchant-id"] == "exampleshop"
    signed = (
        f"host: {headers['host']}\ndate: {headers['date']}\n"
        f"request-target: post /pts/v2/payments\ndigest: SHA-256={digest}\n"
        "v-c-merchant-id: exampleshop"
    )
    mac = hmac.new(b"shared secret", signed.encode(), hashlib.sha256).digest()
    parts = dict(re.findall(r'(\w+)="([^"]*)"', headers["signature"]))
    assert parts["headers"] == "host date request-target digest v-c-merchant-id"
    assert parts["algorithm"] == "HmacSHA256"
    assert parts["signature"] == base64.b64encode(mac).decode()


@pytest.mark.parametrize(
    ("number", "brand"), [(NUMBER, "VISA"), (DISCOVER, "DISCOVER"), (AMEX, "AMEX")]
)
def test_address_results_become_words(cybersource: Provider, number: Any, brand: str) -> None:
    cases = {code: word for word, codes in AVS.items() for code in codes.split()}
    found = cybersource.checks([processed(avs={"code": code}) for code in cases], number)
    assert [words(each, brand)[1] for each in found] == list(cases.values())


def test_code_results_become_words(cybersource: Provider) -> None:
    answers = (processed(cardVerification={"resultCode": code}) for code in "MNPSUX1DI23")
    found = cybersource.checks(answers)
    assert [words(each)[2] for each in found] == [
        "MATCH",
        "NO_MATCH",
        "NOT_PROCESSED",
        "NOT_PROVIDED",
        *["UNVERIFIABLE"] * 3,
        *["UNKNOWN"] * 4,
    ]


@pytest.mark.parametrize(
    ("reasons", "advice"),
    [
        ("AVS_FAILED CVN_NOT_MATCH CV_FAILED", "ACCEPT"),  # the policy decides
        (
            "PROCESSOR_DECLINED INSUFFICIENT_FUND UNAUTHORIZED_CARD EXCEEDS_CREDIT_LIMIT "
            "GENERAL_DECLINE PAYMENT_REFUSED SUSPENDED_ACCOUNT CONTACT_PROCESSOR "
            "BLOCKED_BY_CARDHOLDER CONSUMER_AUTHENTICATION_REQUIRED "
            "ALLOWABLE_PIN_RETRIES_EXCEEDED CUSTOMER_WATCHLIST_MATCH SOMETHING_NEW",
            "DECLINE",
        ),
        ("ISSUER_UNAVAILABLE PROCESSOR_ERROR", "RETRY"),
        (
            "STOLEN_LOST_CARD BLACKLISTED_CUSTOMER DECISION_PROFILE_REJECT SCORE_EXCEEDS_THRESHOLD",
            "FRAUD",
        ),
        ("EXPIRED_CARD INVALID_ACCOUNT INVALID_CVN", "INPUT_ERROR"),
    ],
)
def test_reasons_become_advice(cybersource: Provider, reasons: str, advice: str) -> None:
    found = cybersource.checks(declined(reason) for reason in reasons.split())
    assert [words(each)[0] for each in found] == [advice] * len(found)


def test_states_and_errors_of_checks(cybersource: Provider) -> None:
    replies = [
        Reply(declined("DECISION_PROFILE_REVIEW", "AUTHORIZED_PENDING_REVIEW"), 201),
        Reply({"status": "AUTHORIZED_RISK_DECLINED"}, 201),
        Reply({"status": "INVALID_REQUEST", "reason": "INVALID_CARD"}, 400),
        Reply({"status": "INVALID_REQUEST", "reason": "CARD_TYPE_NOT_ACCEPTED"}, 400),
        Reply({"status": "INVALID_REQUEST", "reason": "MISSING_FIELD"}, 400),
        Reply({"status": "INVALID_REQUEST", "reason": "PROCESSOR_UNAVAILABLE"}, 400),
        Reply(declined("INVALID_MERCHANT_CONFIGURATION"), 201),
        Reply({"status": "SERVER_ERROR", "reason": "SERVICE_TIMEOUT"}, 502),
    ]
    found, _ = cybersource.ask(replies, checking(bare_enquiry()))
    assert [each.response_code for each in found[:4]] == ["00", "59", "14", "57"]
    meanings = ("our mistake", "try later", "our mistake", "try later")
    for failure, meaning in zip(found[4:], meanings, strict=True):
        assert isinstance(failure, ConnectorFailed)
        assert meaning in str(failure)


def test_results_about_the_holder_become_words(cybersource: Provider) -> None:
    def results(letter: str, performed: str) -> Reply:
        parts = ("firstName", "middleName", "lastName", "name", "email", "phoneNumber")
        return Reply(
            processed(
                electronicVerificationResults=dict.fromkeys(parts, letter),
                merchantAdvice={"nameMatch": performed},
            )
        )

    expected = {"Y": Result.MATCH, "O": Result.PARTIAL_MATCH, "N": Result.NO_MATCH}
    replies = [results(letter, "00") for letter in expected]
    found, _ = cybersource.ask(replies, checking(with_holder(HOLDER)))
    for each, word in zip(found, expected.values(), strict=True):
        about = each.also.find(HolderResults)
        assert {about.first_name, about.middle_name, about.last_name, about.name} == {word}
        assert (about.email, about.phone) == (word, word)
        assert about.name_result is NameResult.PERFORMED

    named = Reply(processed(electronicVerificationResults={"code": "Y"}))
    unasked = [results("U", "01"), results("S", "02")]
    found, heard = cybersource.ask([named, *unasked], finding(identity_enquiry()))
    assert [(each.name, each.name_result) for each in found] == [
        (Result.MATCH, None),
        (Result.NOT_PROCESSED, NameResult.NOT_PERFORMED),
        (Result.NOT_SUPPORTED, NameResult.NOT_SUPPORTED),
    ]
    assert "securityCode" not in heard[0].json["paymentInformation"]["card"]


def test_an_issuer_that_was_not_reached_compared_nothing(cybersource: Provider) -> None:
    reasons = ("ISSUER_UNAVAILABLE", "PROCESSOR_ERROR", "EXPIRED_CARD")
    replies = [Reply(declined(reason), 201) for reason in reasons]
    found, _ = cybersource.ask(replies, finding(identity_enquiry()))
    assert [type(each) for each in found] == [ConnectorFailed, ConnectorFailed, HolderResults]


@pytest.mark.parametrize("number", [NUMBER, MASTERCARD], ids=["visa", "mastercard"])
def test_a_payment_carries_the_proof_where_its_brand_has_it(
    cybersource: Provider, number: Any
) -> None:
    eci = Eci.AUTHENTICATED_MASTERCARD if number is MASTERCARD else Eci.AUTHENTICATED
    paid = msgspec.structs.replace(authorization(), number=number, three_d_secure=proven(eci))
    answer = processed(approvalCode="831000")
    [found], [heard] = cybersource.ask(
        [Reply(answer, 201)], lambda each: gateway(each).authorize(paid)
    )
    assert (found.approved, found.response_code, found.approval_code) == (True, "00", "831000")
    assert found.reference == AUTHORIZED["id"]
    sent = heard.json
    assert sent["clientReferenceInformation"] == {"code": "req_1", "transactionId": "req_1"}
    assert sent["orderInformation"] == {
        "amountDetails": {"totalAmount": "10.50", "currency": "USD"}
    }
    assert sent["processingInformation"]["capture"] is False
    shared = {
        "eciRaw": eci,
        "paresStatus": "Y",
        "paSpecificationVersion": "2.2.0",
        "directoryServerTransactionId": DS_TRANSACTION,
    }
    own = (
        {"ucafAuthenticationData": CAVV, "ucafCollectionIndicator": "2"}
        if number is MASTERCARD
        else {"cavv": CAVV}
    )
    assert sent["consumerAuthenticationInformation"] == shared | own


def test_payments_are_refused_or_left_to_be_reversed(cybersource: Provider) -> None:
    refused = [declined("INSUFFICIENT_FUND"), declined("NEW_REASON"), declined("CVN_NOT_MATCH")]
    waiting = {"status": "PENDING_AUTHENTICATION"}
    doubtful = [
        {"status": each}
        for each in ("PARTIAL_AUTHORIZED", "AUTHORIZED_PENDING_REVIEW", "AUTHORIZED_RISK_DECLINED")
    ]
    found = cybersource.payments([*refused, waiting, *doubtful], 201)
    assert [(each.approved, each.response_code) for each in found[:4]] == [
        (False, "51"),
        (False, "05"),
        (False, "N7"),
        (False, "1A"),
    ]
    assert [(type(each), each.sent) for each in found[4:]] == [(ConnectorFailed, True)] * 3


def test_a_payment_is_taken_back_by_its_id_or_by_our_reference(cybersource: Provider) -> None:
    taken_back = Reply({"status": "REVERSED"}, 201)
    [found], [heard] = cybersource.ask(
        [taken_back], lambda each: gateway(each).reverse(reversal("6869460219566537303955"))
    )
    assert found is None
    assert heard.path == "/pts/v2/payments/6869460219566537303955/reversals"
    assert heard.json["reversalInformation"] == {
        "amountDetails": {"totalAmount": "10.50", "currency": "USD"}
    }

    replies = [
        taken_back,
        Reply({"reason": "AUTH_ALREADY_REVERSED"}, 400),
        Reply({"reason": "MISSING_AUTH"}, 400),
        Reply({"status": "PENDING"}, 201),
        Reply({"reason": "INVALID_DATA"}, 400),
        Reply({"reason": "TRANSACTION_ALREADY_SETTLED"}, 400),
        Reply({"reason": "SERVER_TIMEOUT"}, 502),
    ]
    found, heards = cybersource.ask(replies, lambda each: gateway(each).reverse(reversal()))
    assert heards[0].path == "/pts/v2/reversals"
    assert heards[0].json["clientReferenceInformation"]["transactionId"] == "req_1"
    assert found[:3] == [None, None, None]
    assert [type(each) for each in found[3:]] == [ConnectorFailed] * 4
    assert "refund it there" in str(found[5])


def test_a_reversal_by_our_reference_does_not_overtake_its_payment(cybersource: Provider) -> None:
    young = new_id("req", round(time.time() * 1000), os.urandom)
    asked = msgspec.structs.replace(reversal(), request_id=young)
    [found], heard = cybersource.ask([Reply({})], lambda each: gateway(each).reverse(asked))
    assert isinstance(found, ConnectorFailed)
    assert (found.sent, found.answered) == (False, True)
    assert heard == []


@pytest.mark.parametrize(
    ("number", "said", "commerce", "reason"),
    [
        (NUMBER, ("CUSTOMER", "FIRST", "RECURRING"), "internet", None),
        (NUMBER, ("CUSTOMER", "LATER"), "internet", None),
        (NUMBER, ("MERCHANT", "LATER", "RECURRING"), "recurring", None),
        (MASTERCARD, ("MERCHANT", "LATER", "RECURRING"), "recurring", "7"),
        (NUMBER, ("MERCHANT", "LATER", "RESUBMISSION"), "internet", "1"),
    ],
)
def test_a_stored_card_is_told_by_its_use_and_its_first_payment(
    cybersource: Provider, number: Any, said: tuple[str, ...], commerce: str, reason: str | None
) -> None:
    paid = msgspec.structs.replace(stored(*said), number=number)
    answer = processed(networkTransactionId="016153570198200")
    [found], [heard] = cybersource.ask(
        [Reply(answer, 201)], lambda each: gateway(each).authorize(paid)
    )
    assert found.network_transaction_id == "016153570198200"
    sent = heard.json["processingInformation"]
    assert sent["commerceIndicator"] == commerce
    used = (
        {"credentialStoredOnFile": "true"} if "FIRST" in said else {"storedCredentialUsed": "true"}
    )
    merchants = {"previousTransactionId": "777718270854480"}
    if reason is not None:
        merchants["reason"] = reason
    told = {"merchantInitiatedTransaction": merchants} if said[0] == "MERCHANT" else {}
    initiator = {"type": said[0].lower(), **used, **told}
    assert sent["authorizationOptions"]["initiator"] == initiator


def test_captures_go_to_the_payment_and_refunds_to_its_capture(cybersource: Provider) -> None:
    taken = {"id": "6869460219566537303777", "status": "PENDING"}
    replies = [
        Reply(taken, 201),
        Reply({"reason": "EXCEEDS_AUTH_AMOUNT"}, 400),
        Reply({"reason": "TRANSACTION_ALREADY_REVERSED_OR_SETTLED"}, 400),
        Reply({"reason": "DUPLICATE_REQUEST"}, 400),
        Reply({"reason": "SYSTEM_ERROR"}, 502),
    ]
    paths = {
        "CAPTURE": "/pts/v2/payments/6869460219566537303955/captures",
        "REFUND": "/pts/v2/captures/6869460219566537303999/refunds",
    }
    for kind, path in paths.items():
        asked = operation(kind, "6869460219566537303955")
        found, heards = cybersource.ask(replies, operating(asked))
        assert heards[0].path == path
        assert heards[0].json == {
            "clientReferenceInformation": {"code": "op_1"},
            "orderInformation": {"amountDetails": {"totalAmount": "4.00", "currency": "USD"}},
        }
        assert found[0] == OperationAnswer(OperationEnd.SUCCEEDED, None, taken["id"])
        assert [(type(each), each.sent) for each in found[3:]] == [(ConnectorFailed, True)] * 2
        [offer], _ = cybersource.ask([Reply({})], offering(asked))
        assert offer is Offer.ONCE
        if kind == "CAPTURE":
            assert found[1] == OperationAnswer(OperationEnd.REFUSED, "EXCEEDS_AUTH_AMOUNT")
            assert found[2].response_code == "TRANSACTION_ALREADY_REVERSED_OR_"
