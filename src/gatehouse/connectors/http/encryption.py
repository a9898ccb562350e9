"""Bodies that only the party can read: JWE with RSA-OAEP-256 and AES-GCM, inside of TLS.

Visa calls it message level encryption. Our requests are encrypted for the party's certificate, its
answers for a key of ours.
"""

import base64
import secrets
import time
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.x509 import load_pem_x509_certificate

from gatehouse.connectors.http.mapping import ContentCipher, MessageEncryption
from gatehouse.connectors.http.templates import Environment, compile_template, parse_template
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.sentences import Phrase

_ALL_OR_NONE: Final = Phrase(
    "connector.encryption_secrets",
    "encryption needs all of its secrets or none: a key id, the party's certificate and our "
    "private key",
)
_CERTIFICATE_FORM: Final = Phrase(
    "connector.certificate_form", "the certificate for encryption is not PEM"
)
_CERTIFICATE_KEY: Final = Phrase(
    "connector.certificate_key", "the certificate for encryption needs RSA with {bits} bits or more"
)
_KEY_FORM: Final = Phrase(
    "connector.key_form", "the private key for encryption is not PEM without password"
)
_KEY_KIND: Final = Phrase("connector.key_kind", "the private key for encryption is not RSA")

_ALGORITHM: Final = "RSA-OAEP-256"
_KEY_BYTES: Final = {ContentCipher.A128GCM.value: 16, ContentCipher.A256GCM.value: 32}
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
_SMALLEST_KEY_BITS: Final = 2048
_PADDING: Final = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
_UNREADABLE: Final = "the answer cannot be decrypted"


class _JweHeader(msgspec.Struct):
    alg: str
    enc: str


def make_cipher(
    written: MessageEncryption | None, environment: Environment
) -> "MessageCipher | None":
    """The cipher of a mapping; None where the configuration names none of its secrets."""
    if written is None:
        return None
    templates = (written.key_id, written.certificate, written.private_key)
    values = [compile_template(parse_template(text), environment) for text in templates]
    if values == [None, None, None]:
        return None
    if None in values:
        raise SettingsError(_ALL_OR_NONE())
    key_id, certificate, private_key = (str(value) for value in values)
    return MessageCipher(
        written, key_id, _public_key(certificate.encode()), _private_key(private_key.encode())
    )


def _public_key(pem: bytes) -> rsa.RSAPublicKey:
    key: object
    try:
        if b"BEGIN CERTIFICATE" in pem:
            key = load_pem_x509_certificate(pem).public_key()
        else:
            key = serialization.load_pem_public_key(pem)
    except ValueError:
        raise SettingsError(_CERTIFICATE_FORM()) from None
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < _SMALLEST_KEY_BITS:
        raise SettingsError(_CERTIFICATE_KEY(bits=_SMALLEST_KEY_BITS))
    return key


def _private_key(pem: bytes) -> rsa.RSAPrivateKey:
    try:
        key = serialization.load_pem_private_key(pem, None)
    except (ValueError, TypeError):
        raise SettingsError(_KEY_FORM()) from None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise SettingsError(_KEY_KIND())
    return key


class MessageCipher:
    """Encrypts requests and decrypts answers."""

    def __init__(
        self,
        written: MessageEncryption,
        key_id: str,
        theirs: rsa.RSAPublicKey,
        ours: rsa.RSAPrivateKey,
    ) -> None:
        self._member = written.member
        self._content = written.content.value
        self._key_id = key_id
        self._theirs = theirs
        self._ours = ours

    def seal(self, body: bytes) -> bytes:
        """A body that the party alone can read."""
        header = _encoded(
            msgspec.json.encode(
                {
                    "alg": _ALGORITHM,
                    "enc": self._content,
                    "kid": self._key_id,
                    "iat": time.time_ns() // 1_000_000,
                }
            )
        )
        key = secrets.token_bytes(_KEY_BYTES[self._content])
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = AESGCM(key).encrypt(nonce, body, header)
        parts = (
            self._theirs.encrypt(key, _PADDING),
            nonce,
            sealed[:-_TAG_BYTES],
            sealed[-_TAG_BYTES:],
        )
        text = b".".join((header, *map(_encoded, parts))).decode()
        return msgspec.json.encode({self._member: text})

    def open(self, answer: Any) -> Any:
        """The answer as it was before it was encrypted; one in the clear is left as it is."""
        sealed = answer.get(self._member) if isinstance(answer, dict) else None
        if sealed is None:
            return answer
        try:
            return msgspec.json.decode(self._opened(sealed))
        except (ValueError, AttributeError, InvalidTag, msgspec.MsgspecError, RecursionError):
            raise ConnectorFailed(_UNREADABLE) from None

    def _opened(self, text: str) -> bytes:
        protected = text.partition(".")[0].encode()
        header, key, nonce, sealed, tag = (_decoded(part) for part in text.split("."))
        named = msgspec.json.decode(header, type=_JweHeader)
        if named.alg != _ALGORITHM or named.enc not in _KEY_BYTES:
            raise ValueError
        content_key = self._ours.decrypt(key, _PADDING)
        if len(content_key) != _KEY_BYTES[named.enc] or len(tag) != _TAG_BYTES:
            raise ValueError
        return AESGCM(content_key).decrypt(nonce, sealed + tag, protected)


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
