"""Webhooks are accepted as the standard says, whoever signed them."""

import datetime
from typing import Any, Final

import pytest
from gatehouse.connectors.webhooks.signing_secrets import SecretKind, SigningSecret
from standardwebhooks import Webhook

from gatehouse_client import SignatureInvalid, models, webhooks

NOW_S: Final = 1_700_000_000
BODY: Final = (
    b'{"id":"evt_1","type":"something.new","createdAt":"2026-11-16T10:00:00.000Z",'
    b'"actor":"key:key_1","data":{"a":1},"later":true}'
)
HMAC: Final = SigningSecret(SecretKind.HMAC, b"h" * 32)
PAIR: Final = SigningSecret(SecretKind.ED25519, b"e" * 32)


def headers(*secrets: SigningSecret, body: bytes = BODY, at_s: int = NOW_S) -> dict[str, str]:
    content = b".".join([b"evt_1", str(at_s).encode(), body])
    signatures = b" ".join(one.sign(content) for one in secrets).decode()
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(at_s), "Webhook-Signature": signatures}


def verify(given: dict[str, str], *secrets: str, body: bytes = BODY, **options: Any) -> Any:
    return webhooks.verify(body, given, secrets, now_s=NOW_S, **options)


@pytest.mark.parametrize("secret", [HMAC, PAIR])
def test_what_the_service_signs_is_accepted(secret: SigningSecret) -> None:
    event = verify(headers(secret), secret.shown)
    assert (event.id, event.type, event.data) == ("evt_1", "something.new", {"a": 1})


def test_what_another_implementation_signs_is_accepted() -> None:
    at = datetime.datetime.fromtimestamp(NOW_S, datetime.timezone.utc)
    given = headers()
    given["Webhook-Signature"] = Webhook(HMAC.shown).sign("evt_1", at, BODY.decode())
    assert verify(given, HMAC.shown).id == "evt_1"


def test_one_of_several_secrets_is_enough_while_they_are_rotated() -> None:
    old = SigningSecret(SecretKind.HMAC, b"o" * 32)
    assert verify(headers(old, HMAC, PAIR), HMAC.shown).id == "evt_1"
    assert verify(headers(HMAC), old.shown, HMAC.shown).id == "evt_1"


@pytest.mark.parametrize("secret", [HMAC, PAIR])
def test_what_was_altered_is_refused(secret: SigningSecret) -> None:
    good, other = headers(secret), SigningSecret(secret.kind, b"x" * 32)
    for given, body in (
        (good, BODY.replace(b"evt_1", b"evt_2")),
        ({**good, "Webhook-Id": "evt_2"}, BODY),
        ({**good, "Webhook-Timestamp": str(NOW_S + 1)}, BODY),
        (headers(other), BODY),
        ({**good, "Webhook-Signature": "v1,%%% v1a,AAAA v9,AAAA nonsense"}, BODY),
    ):
        with pytest.raises(SignatureInvalid):
            verify(given, secret.shown, body=body)


@pytest.mark.parametrize("missing", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_a_missing_header_is_named(missing: str) -> None:
    given = headers(HMAC)
    del given[missing]
    with pytest.raises(SignatureInvalid, match=missing.lower()):
        verify(given, HMAC.shown)


@pytest.mark.parametrize("at_s", [NOW_S - 301, NOW_S + 301])
def test_what_is_too_old_or_from_the_future_is_refused(at_s: int) -> None:
    given = headers(HMAC, at_s=at_s)
    with pytest.raises(SignatureInvalid, match="too old"):
        verify(given, HMAC.shown)
    assert verify(given, HMAC.shown, tolerance_s=302).id == "evt_1"


@pytest.mark.parametrize("at", ["", "-1", "1e9", "٣", "9" * 400])
def test_a_timestamp_that_is_none_is_refused(at: str) -> None:
    with pytest.raises(SignatureInvalid, match="number"):
        verify({**headers(HMAC), "Webhook-Timestamp": at}, HMAC.shown)


def test_a_signed_body_that_is_no_event_is_refused() -> None:
    with pytest.raises(SignatureInvalid, match="no event"):
        verify(headers(HMAC, body=b"[]"), HMAC.shown, body=b"[]")


def test_a_secret_that_is_none_is_a_mistake_of_the_receiver() -> None:
    with pytest.raises(ValueError, match="whsec_"):
        verify(headers(HMAC), "whsec_%%%")


@pytest.mark.parametrize("secret", ["whsec_", "whpk_", "whsec_c2hvcnQ=", f"whsec_{'AAAA' * 22}"])
def test_a_secret_with_which_anybody_could_sign_is_refused(secret: str) -> None:
    forged = headers(SigningSecret(SecretKind.HMAC, b""))
    with pytest.raises(ValueError, match="whsec_"):
        verify(forged, secret)


@pytest.mark.parametrize("missing", ["", None, [], [None]])
def test_a_missing_secret_is_told_of_whatever_came(missing: Any) -> None:
    with pytest.raises(ValueError, match="missing"):
        webhooks.verify(b"", {}, missing)


def test_a_known_event_has_the_type_of_what_it_says() -> None:
    said = {"requestId": "req_1", "decision": None, "response": None}
    data = {**said, "state": "APPROVED", "payment": "STANDS"}
    signed = webhooks.sign_for_test("review.resolved", data, HMAC.shown)
    event = webhooks.verify(*signed, HMAC.shown)
    assert isinstance(event, models.ReviewResolvedEvent)
    assert (event.data["state"], event.data["payment"]) == ("APPROVED", "STANDS")
    assert type(verify(headers(HMAC), HMAC.shown)) is models.PublicEvent


def test_a_message_that_a_test_signs_is_one_that_the_service_could_have_sent() -> None:
    signed = webhooks.sign_for_test("a.b", {"a": 1}, HMAC.shown, event_id="evt_1", now_s=NOW_S)
    assert verify(signed.headers, HMAC.shown, body=signed.body).id == "evt_1"
    assert (
        signed.headers["webhook-signature"]
        == (headers(HMAC, body=signed.body)["Webhook-Signature"])
    )
    with pytest.raises(SignatureInvalid, match="too old"):
        webhooks.verify(*signed, HMAC.shown)
    with pytest.raises(ValueError, match="whsec_"):
        webhooks.sign_for_test("a.b", {}, "whsec_c2hvcnQ=")
