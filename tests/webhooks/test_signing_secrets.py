"""A verifier that nobody here wrote accepts what we sign, and refuses what was touched."""

import base64
import time

import msgspec
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from gatehouse.connectors.webhooks.signing_secrets import (
    SecretKind,
    SigningSecret,
    new_secret,
    rotated,
    signatures,
)

BODY = '{"id":"evt_1","type":"review.opened","data":{"name":"Zoë"}}'.encode()
ONE = SigningSecret(SecretKind.HMAC, bytes(range(32)))
TWO = SigningSecret(SecretKind.HMAC, bytes(range(1, 33)))
PAIR = SigningSecret(SecretKind.ED25519, bytes(range(2, 34)))


def headers(*secrets: SigningSecret, at_s: float | None = None) -> dict[str, str]:
    at_ms = int((time.time() if at_s is None else at_s) * 1000)
    timestamp, signature = signatures(secrets, "evt_1", at_ms, BODY)
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": timestamp.decode(),
        "webhook-signature": signature.decode(),
    }


def test_the_verifier_from_pypi_accepts_our_signatures() -> None:
    assert Webhook(ONE.shown).verify(BODY, headers(ONE))["type"] == "review.opened"


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (BODY.replace(b"opened", b"closed"), {}),
        (BODY + b" ", {}),
        (BODY, {"webhook-id": "evt_2"}),
        (BODY, {"webhook-signature": "v1,AAAA"}),
    ],
)
def test_the_verifier_refuses_what_was_altered(body: bytes, changed: dict[str, str]) -> None:
    given = headers(ONE, at_s=time.time() - 30) | changed
    with pytest.raises(WebhookVerificationError):
        Webhook(ONE.shown).verify(body, given)


def test_the_verifier_refuses_another_time() -> None:
    at_s = time.time() - 30
    given = headers(ONE, at_s=at_s) | {"webhook-timestamp": str(int(at_s) + 1)}
    with pytest.raises(WebhookVerificationError):
        Webhook(ONE.shown).verify(BODY, given)


@pytest.mark.parametrize("away_s", [-400, 400])
def test_the_verifier_refuses_what_was_sent_long_ago_or_will_be(away_s: int) -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(ONE.shown).verify(BODY, headers(ONE, at_s=time.time() + away_s))


def test_the_verifier_refuses_another_secret() -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(TWO.shown).verify(BODY, headers(ONE))


def test_while_a_secret_is_rotated_both_verify() -> None:
    for known in (ONE, TWO):
        assert Webhook(known.shown).verify(BODY, headers(ONE, TWO, PAIR))


def test_a_rotated_secret_signs_until_its_time_and_no_longer() -> None:
    secrets = rotated([ONE], TWO, now_ms=1000, until_ms=5000)
    assert [each.expires_at_ms for each in secrets] == [None, 5000]
    assert signatures(secrets, "evt_1", 4999, BODY)[1].count(b"v1,") == 2
    assert signatures(secrets, "evt_1", 5000, BODY)[1].count(b"v1,") == 1
    assert rotated([ONE], TWO, now_ms=1000, until_ms=1000) == (TWO,)


def test_a_signature_of_a_pair_is_verified_with_the_public_key() -> None:
    given = headers(PAIR)
    scheme, _, signature = given["webhook-signature"].partition(",")
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(PAIR.shown.removeprefix("whpk_")))
    content = f"evt_1.{given['webhook-timestamp']}.".encode() + BODY
    assert scheme == "v1a"
    public.verify(base64.b64decode(signature), content)
    with pytest.raises(InvalidSignature):
        public.verify(base64.b64decode(signature), content + b" ")


def test_secrets_are_read_as_they_were_kept_and_never_printed() -> None:
    kept = msgspec.json.encode([ONE, PAIR])
    assert msgspec.json.decode(kept, type=tuple[SigningSecret, ...]) == (ONE, PAIR)
    fresh = new_secret(SecretKind.HMAC, bytes)
    assert fresh.shown == "whsec_" + base64.b64encode(bytes(32)).decode()
    assert "AAEC" not in repr(ONE)
    assert "x00" not in repr(ONE)
