"""The mapping for Visa Payment Account Validation: what is sent, and what its codes come to."""

import copy
import hashlib
import hmac
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatehouse.connectors.http.reading import read_mapping
from gatehouse.core.errors import ConnectorFailed
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.request import CardHolderIds, CardHolderName, IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults
from tests.connectors.http.asking import EXPIRY, HOLDER, NUMBER, bare_enquiry, identity_enquiry
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Reply
from tests.connectors.http.providers import Provider, checking, finding, shipped, with_holder, words
from tests.connectors.http.test_encryption import Keys

NAME = "visa-payment-account-validation"
DONE = {"actionCode": "00", "responseCode": "5", "transactionIdentifier": "123456789012345"}
ACCEPTOR = {
    "acquiring_bin": "408999",
    "acquirer_country": "840",
    "acceptor_name": "Example Shop",
    "acceptor_id": "111111",
}


@pytest.fixture(scope="module")
def visa(secret_file: Path, authority: Authority) -> Provider:
    return Provider(NAME, secret_file, authority, **ACCEPTOR)


def test_one_call_asks_about_the_card_and_its_holder(visa: Provider) -> None:
    heard = visa.sent(checking(with_holder(HOLDER)), DONE)
    assert (heard.method, heard.path) == ("POST", "/pav/v1/cardvalidation")
    assert heard.headers["authorization"].startswith("Basic ")
    sent = heard.json
    trace, retrieval = sent.pop("systemsTraceAuditNumber"), sent.pop("retrievalReferenceNumber")
    assert re.fullmatch(r"\d{6}", trace)
    # The last digit of the year, the day of the year, the hour, and the trace number.
    assert re.fullmatch(r"\d[0-3]\d\d[0-2]\d" + trace, retrieval)
    assert retrieval[0] == str(datetime.now(UTC).year)[-1]
    assert sent == {
        "primaryAccountNumber": "4242424242424242",
        "cardExpiryDate": "2030-07",
        "cardCvv2Value": "123",
        "acquiringBin": "408999",
        "acquirerCountryCode": "840",
        "cardAcceptor": {"name": "Example Shop", "idCode": "111111"},
        "addressVerificationResults": {"street": "1 Market Street", "postalCode": "94105"},
        "cardHolderNameVerification": {
            "firstName": "Ann",
            "lastName": "Archer",
            "ownerType": "01",
        },
        "cardHolderEmailAddress": "ann@example.com",
        "cardHolderPhoneNumber": "0014155550132",
        "identityVerification": {
            "identities": [{"identityType": "PASSPORT", "identityValue": "543210987"}]
        },
    }


def test_only_what_is_known_is_sent(visa: Provider) -> None:
    sent = visa.sent(checking(bare_enquiry()), DONE).json
    assert set(sent) == {
        "primaryAccountNumber",
        "cardExpiryDate",
        "acquiringBin",
        "acquirerCountryCode",
        "cardAcceptor",
        "systemsTraceAuditNumber",
        "retrievalReferenceNumber",
    }


def test_what_is_sent_keeps_to_the_limits(visa: Provider) -> None:
    holder = IdVerifyRequest(
        NUMBER,
        EXPIRY,
        f"{'a' * 90}@example.com",
        "not a phone number",
        CardHolderName("F" * 64, "M" * 64, "L" * 64, "SECONDARY"),
        CardHolderIds("D" * 36, "P" * 35, "N" * 36, "T" * 35),
    )
    asked = msgspec.structs.replace(
        with_holder(holder), postal_code="94105-1234", street="12345 Long Avenue of the Lakes"
    )
    sent = visa.sent(checking(asked), DONE).json
    assert sent["addressVerificationResults"] == {
        "street": "12345 Long Avenue of",
        "postalCode": "941051234",
    }
    assert sent["cardHolderNameVerification"] == {
        "firstName": "F" * 35,
        "middleName": "M" * 35,
        "lastName": "L" * 35,
        "ownerType": "02",
    }
    # Half an address would not match, so it is not sent at all.
    assert "cardHolderEmailAddress" not in sent
    assert "cardHolderPhoneNumber" not in sent
    identities = sent["identityVerification"]["identities"]
    assert [each["identityType"] for each in identities] == ["PASSPORT", "TAX"]


def test_with_its_keys_visa_alone_reads_what_is_sent(visa: Provider, tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    sealing = copy.copy(visa)
    sealing.mapping = read_mapping(shipped(NAME))
    sealing.secrets = visa.secrets | keys.secrets
    answer = DONE | {"cardHolderNameVerificationResult": {"nameMatchDecision": "50"}}
    reply = Reply({"encData": keys.sealed(answer)})
    [found], [heard] = sealing.ask([reply], checking(with_holder(HOLDER)))
    assert found.response_code == "00"
    assert found.also.find(HolderResults).name is Result.PARTIAL_MATCH
    assert heard.headers["keyid"] == "key-7"
    assert b"4242" not in heard.body
    header, content = keys.opened(heard)
    assert (header["alg"], header["enc"], header["kid"]) == ("RSA-OAEP-256", "A128GCM", "key-7")
    assert content["primaryAccountNumber"] == "4242424242424242"
    assert content["cardHolderNameVerification"]["lastName"] == "Archer"


def test_without_its_keys_names_and_identifiers_stay_here(visa: Provider) -> None:
    open_letter = copy.copy(visa)
    open_letter.mapping = read_mapping(shipped(NAME))
    open_letter.secrets = {name: visa.secrets[name] for name in ("user", "password")}
    heard = open_letter.sent(checking(with_holder(HOLDER)), DONE)
    assert "keyid" not in heard.headers
    assert heard.json["cardHolderEmailAddress"] == "ann@example.com"
    assert not {"cardHolderNameVerification", "identityVerification"} & set(heard.json)


def test_id_verify_alone_asks_without_address_and_code(visa: Provider) -> None:
    heard = visa.sent(finding(identity_enquiry()), DONE)
    assert heard.path == "/pav/v1/cardvalidation"
    assert "cardHolderNameVerification" in heard.json
    assert not {"cardCvv2Value", "addressVerificationResults"} & set(heard.json)


@pytest.mark.parametrize(
    ("codes", "advice"),
    [
        ("00 85 N7", "ACCEPT"),
        ("05 51 57 61 62 65 46 1A Z3", "DECLINE"),
        ("06 19 68 91 92 96", "RETRY"),
        ("04 07 34 41 43 59", "FRAUD"),
        ("12 13 14 15 30 54 55 82", "INPUT_ERROR"),
    ],
)
def test_action_codes_become_advice(visa: Provider, codes: str, advice: str) -> None:
    found = visa.checks(DONE | {"actionCode": code} for code in codes.split())
    assert [words(each)[0] for each in found] == [advice] * len(found)


@pytest.mark.parametrize(
    ("letters", "word"),
    [
        ("Y D F M X", "FULL_MATCH"),
        ("A B", "STREET_MATCH"),
        ("Z W P", "POSTCODE_MATCH"),
        ("N", "NO_MATCH"),
        ("C I G U S E O", "UNVERIFIABLE"),
        ("R", "RETRY"),
        ("Q", "UNKNOWN"),
    ],
)
def test_address_results_become_words(visa: Provider, letters: str, word: str) -> None:
    found = visa.checks(DONE | {"addressVerificationResults": each} for each in letters.split())
    assert [words(each)[1] for each in found] == [word] * len(found)


@pytest.mark.parametrize(
    ("letters", "word"),
    [
        ("M", "MATCH"),
        ("N", "NO_MATCH"),
        ("P", "NOT_PROCESSED"),
        ("S", "NOT_PROVIDED"),
        ("U X", "UNVERIFIABLE"),
        ("I E D", "UNKNOWN"),
    ],
)
def test_code_results_become_words(visa: Provider, letters: str, word: str) -> None:
    found = visa.checks(DONE | {"cvv2ResultCode": each} for each in letters.split())
    assert [words(each)[2] for each in found] == [word] * len(found)


def holder_results(visa: Provider, answers: list[dict[str, Any]]) -> list[HolderResults]:
    asked = checking(with_holder(HOLDER))
    found, _ = visa.ask([Reply(DONE | each) for each in answers], asked)
    return [each.also.find(HolderResults) for each in found]


def test_results_about_the_holder_become_words(visa: Provider) -> None:
    codes = {"1": Result.MATCH, "2": Result.NO_MATCH, "3": Result.NOT_PROCESSED}
    contacts = (
        "cardHolderEmailAddressVerificationResults",
        "cardHolderPhoneNumberVerificationResults",
    )
    found = holder_results(visa, [dict.fromkeys(contacts, code) for code in codes])
    assert [(each.email, each.phone) for each in found] == [(word, word) for word in codes.values()]

    codes |= {"4": Result.NOT_SUPPORTED, "9": Result.UNKNOWN}
    kinds = list(IdentifierType)
    identities = [
        {
            "identityVerification": {
                "identities": [
                    {"identityType": kind.value, "identityVerificationResult": code}
                    for kind in kinds
                ]
            }
        }
        for code in codes
    ]
    found = holder_results(visa, identities)
    assert [each.identifiers for each in found] == [
        dict.fromkeys(kinds, word) for word in codes.values()
    ]


def test_results_of_names_become_words(visa: Provider) -> None:
    decisions = {"01": Result.MATCH, "50": Result.PARTIAL_MATCH, "99": Result.NO_MATCH}
    parts = ("firstName", "middleName", "lastName")
    names = [
        {f"{part}AccountMatchDecision": code for part in parts}
        | {"nameMatchDecision": code, "nameResult": "00"}
        for code in decisions
    ]
    found = holder_results(visa, [{"cardHolderNameVerificationResult": each} for each in names])
    assert [
        (each.first_name, each.middle_name, each.last_name, each.name, each.name_result)
        for each in found
    ] == [(word,) * 4 + (NameResult.PERFORMED,) for word in decisions.values()]

    results = {"01": NameResult.NOT_PERFORMED, "02": NameResult.NOT_SUPPORTED}
    answers: list[dict[str, Any]] = [
        {"cardHolderNameVerificationResult": {"nameResult": code}} for code in results
    ]
    found = holder_results(visa, answers)
    assert [(each.name, each.name_result) for each in found] == [
        (None, word) for word in results.values()
    ]


def test_an_answer_without_an_action_code_is_no_answer(visa: Provider) -> None:
    replies = [Reply({}), Reply({"actionCode": "string"}), Reply({}, 400), Reply({}, 500)]
    found, _ = visa.ask(replies, checking(bare_enquiry()))
    assert [type(each) for each in found] == [ConnectorFailed] * 4
    assert "our mistake" in str(found[2])
    assert "try later" in str(found[3])


def test_an_issuer_that_was_not_reached_compared_nothing(visa: Provider) -> None:
    replies = [Reply(DONE | {"actionCode": code}) for code in ("91", "96", "05")]
    found, _ = visa.ask(replies, finding(identity_enquiry()))
    assert [type(each) for each in found] == [ConnectorFailed, ConnectorFailed, HolderResults]


def test_a_token_can_take_the_place_of_certificate_and_password(
    secret_file: Path, authority: Authority
) -> None:
    """What docs/providers.md shows: the API key in the path, the signature in x-pay-token."""
    content = shipped(NAME).decode()
    block = content[content.index("authentication:") : content.index("# Visa takes names")]
    instead = Path("docs/providers.md").read_text().split("```yaml\nauthentication:")[1]
    changed = content.replace(block, "authentication:" + instead.split("```")[0])
    changed = re.sub(r"  user: .*\n  password: .*\n", "  shared_secret: The secret.\n", changed)
    changed = changed.replace("options:\n", "options:\n  api_key: {description: The API key}\n", 1)
    changed = changed.replace("cardvalidation\n", "cardvalidation?apikey={option.api_key}\n")
    provider = Provider(NAME, secret_file, authority, api_key="KEY1", **ACCEPTOR)
    provider.mapping = read_mapping(changed.encode())
    provider.secrets = {"shared_secret": f"file:{secret_file}"}
    heard = provider.sent(checking(bare_enquiry()), DONE)
    assert heard.path == "/pav/v1/cardvalidation?apikey=KEY1"
    version, moment, signature = heard.headers["x-pay-token"].split(":")
    signed = f"{moment}v1/cardvalidationapikey=KEY1".encode() + heard.body
    assert version == "xv2"
    assert abs(int(moment) - datetime.now(UTC).timestamp()) < 600
    assert signature == hmac.new(b"t0ken-of-the-test", signed, hashlib.sha256).hexdigest()
