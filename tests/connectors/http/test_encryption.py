"""Bodies that are encrypted inside of TLS, as a party reads and writes them."""

import asyncio
import base64
import functools
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gatehouse.connectors.http import encryption
from gatehouse.connectors.http.connector import HttpConnector
from gatehouse.core.errors import ConnectorFailed, SettingsError
from tests.connectors.http.asking import connected, definition, enquiry
from tests.connectors.http.party import Answer, Heard, Party, Reply, serving
from tests.connectors.http.test_client import check, pay, reverse
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "http-mappings.md").read_text()
[MAPPING] = [block.text for block in blocks(PAGE) if block.text.startswith("mapping: with-enc")]
RULES = """
  errors:
    - {status: ["402", "404"], then: declined, response_code: {value: "05"}}
    - {where: {path: code, equals: "96"}, then: retry}
"""
PAYMENTS = f"""{RULES}
authorize:
  request: {{path: /pay, body: {{card: "{{card.number}}", ref: "{{reference}}"}}}}
  answer: {{approved: ok, response_code: code}}
{RULES}
reverse:
  request: {{path: /reverse, body: {{ref: "{{reference}}"}}}}
{RULES.replace('declined, response_code: {value: "05"}', "done")}
health: {{request: {{method: GET, path: /health}}}}
"""
Ask = Callable[[HttpConnector], Awaitable[Any]]
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


def pad(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def unpad(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Keys:
    """The key pairs of both sides, ours and theirs, and the files of our secrets."""

    def __init__(self, folder: Path) -> None:
        self.theirs = rsa.generate_private_key(65537, 2048)
        self.ours = rsa.generate_private_key(65537, 2048)
        public = self.theirs.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        private = self.ours.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        self.secrets = {
            name: self._file(folder / name, content)
            for name, content in (
                ("mle_key_id", b"key-7"),
                ("mle_certificate", public),
                ("mle_private_key", private),
            )
        }

    def _file(self, path: Path, content: bytes) -> str:
        path.write_bytes(content)
        return f"file:{path}"

    def opened(self, heard: Heard) -> tuple[dict[str, Any], Any]:
        """The header and the content of a request, as the party finds them."""
        assert list(heard.json) == ["encData"]
        header, key, nonce, sealed, tag = heard.json["encData"].split(".")
        content_key = self.theirs.decrypt(pad(key), OAEP)
        plain = AESGCM(content_key).decrypt(pad(nonce), pad(sealed) + pad(tag), header.encode())
        return json.loads(pad(header)), json.loads(plain)

    def sealed(self, answer: Any, **header: str) -> str:
        """An answer as the party encrypts it for us."""
        named = {"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": "ours"} | header
        protected = unpad(json.dumps(named).encode())
        key, nonce = os.urandom(32), os.urandom(12)
        made = AESGCM(key).encrypt(nonce, json.dumps(answer).encode(), protected.encode())
        sealed_key = self.ours.public_key().encrypt(key, OAEP)
        parts = (sealed_key, nonce, made[:-16], made[-16:])
        return ".".join((protected, *map(unpad, parts)))


@pytest.fixture(scope="module", autouse=True)
def checked_once() -> Iterator[None]:
    """Check each private key once: for every connector, it would take most of the time."""
    once = functools.cache(encryption._private_key)
    with mock.patch.object(encryption, "_private_key", once):
        yield


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


def checked(answer: Answer, secrets: dict[str, str]) -> tuple[str, Party]:
    async def run() -> tuple[str, Party]:
        async with serving(answer, None) as party:
            made = definition(MAPPING.encode(), party.url, secrets=secrets)
            async with connected(made) as connector:
                assert connector.issuer is not None
                return (await connector.issuer.check(enquiry())).response_code, party

    return asyncio.run(run())


def test_the_party_alone_reads_a_request_and_we_alone_its_answer(keys: Keys) -> None:
    code, party = checked(lambda _: Reply({"encData": keys.sealed({"code": "00"})}), keys.secrets)
    assert code == "00"
    [heard] = party.heard
    assert heard.headers["keyid"] == "key-7"
    assert b"4242" not in heard.body
    header, content = keys.opened(heard)
    assert content == {"card": "4242424242424242"}
    assert (header["alg"], header["enc"], header["kid"]) == ("RSA-OAEP-256", "A128GCM", "key-7")
    assert isinstance(header["iat"], int)


def asked_in_the_clear(reply: Reply, secrets: dict[str, str], ask: Ask) -> Any:
    """What a connector makes of an answer that nobody encrypted."""

    async def run() -> Any:
        async with serving(lambda _: reply, None) as party:
            made = definition((MAPPING + PAYMENTS).encode(), party.url, secrets=secrets)
            async with connected(made) as connector:
                return await ask(connector)

    return asyncio.run(run())


@pytest.mark.parametrize("ask", [check, pay, reverse])
@pytest.mark.parametrize(
    "reply",
    [
        Reply({"code": "00", "ok": True}),
        Reply({"code": "00", "ok": True, "encData": None}),
        Reply({"code": "05"}, 402),
        Reply([], 404),
    ],
)
def test_an_answer_in_the_clear_is_not_believed(keys: Keys, reply: Reply, ask: Ask) -> None:
    with pytest.raises(ConnectorFailed, match="with a body that is not encrypted") as caught:
        asked_in_the_clear(reply, keys.secrets, ask)
    assert caught.value.sent, "what became of a payment is not known"
    assert not caught.value.answered
    # Without the secrets nothing is encrypted, and the same answers are read.
    asked_in_the_clear(reply, {}, ask)


@pytest.mark.parametrize("ask", [check, pay, reverse])
def test_a_failure_that_is_told_in_the_clear_is_named(keys: Keys, ask: Ask) -> None:
    for reply, message in (
        (Reply({"error": "busy"}, 503), "it answered 503: try later"),
        (Reply(body=b"<html>", status=401), "it answered 401: our mistake"),
        (Reply({"code": "96"}), "it answered 200: try later"),
    ):
        with pytest.raises(ConnectorFailed, match=message):
            asked_in_the_clear(reply, keys.secrets, ask)


def test_what_has_no_body_need_not_be_encrypted(keys: Keys) -> None:
    async def check_health(connector: HttpConnector) -> None:
        await connector.check_health()

    asked_in_the_clear(Reply({"is": "well"}), keys.secrets, check_health)
    asked_in_the_clear(Reply(body=b"", status=404), keys.secrets, reverse)


def test_without_its_secrets_nothing_is_encrypted() -> None:
    code, party = checked(lambda _: Reply({"code": "00"}), {})
    assert code == "00"
    assert party.heard[0].json == {"card": "4242424242424242"}
    assert "keyid" not in party.heard[0].headers


def test_an_answer_that_was_changed_or_is_for_others_is_refused(keys: Keys) -> None:
    protected, key, nonce, content, tag = keys.sealed({"code": "00"}).split(".")
    wrong = (
        "",
        "a.b.c.d",
        "§.§.§.§.§",
        7,
        ".".join((protected, key, nonce, unpad(b"{}"), tag)),
        ".".join((protected, key, nonce, content, "")),
        ".".join((unpad(b'{"alg":"none","enc":"A256GCM"}'), key, nonce, content, tag)),
        ".".join((protected, unpad(b"\0" * 256), nonce, content, tag)),
        keys.sealed({"code": "00"}, enc="A128GCM"),
        keys.sealed({"code": "00"}, alg="RSA1_5"),
    )
    answers = iter(wrong)

    async def run() -> None:
        async with serving(lambda _: Reply({"encData": next(answers)}), None) as party:
            made = definition(MAPPING.encode(), party.url, secrets=keys.secrets)
            async with connected(made) as connector:
                assert connector.issuer is not None
                for _ in wrong:
                    with pytest.raises(ConnectorFailed, match="the answer cannot be decrypted"):
                        await connector.issuer.check(enquiry())

    asyncio.run(run())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mle_key_id": None}, "encryption needs all of its secrets or none"),
        ({"mle_certificate": "mle_key_id"}, "the certificate for encryption is not PEM"),
        ({"mle_private_key": "mle_certificate"}, "the private key for encryption is not PEM"),
    ],
)
def test_keys_that_cannot_be_used_are_named(
    keys: Keys, change: dict[str, str | None], message: str
) -> None:
    secrets = dict(keys.secrets)
    for name, other in change.items():
        if other is None:
            del secrets[name]
        else:
            secrets[name] = keys.secrets[other]
    with pytest.raises(SettingsError, match=message):
        checked(lambda _: Reply(), secrets)
