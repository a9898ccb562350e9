"""Bodies that only the party can read: JWE with RSA-OAEP-256 and AES-GCM, inside of TLS.

Visa calls it message level encryption. Our requests are encrypted for the party's certificate, its
answers for a key of ours.
"""

import time
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509 import load_pem_x509_certificate
from joserfc.errors import JoseError
from joserfc.jwe import JWERegistry, decrypt_compact, encrypt_compact
from joserfc.jwk import RSAKey

from gatehouse.connectors.http.authentication import ContentCipher, MessageEncryption
from gatehouse.connectors.http.templates import Environment, compile_template, parse_template
from gatehouse.connectors.http.wire import LARGEST_ANSWER
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.wording.sentences import Phrase

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
_SMALLEST_KEY_BITS: Final = 2048
_UNREADABLE: Final = "the answer cannot be decrypted"


class _AnswerRegistry(JWERegistry):
    """Takes whatever an answer may hold; the client has bounded its size."""

    max_protected_header_length = max_ciphertext_length = LARGEST_ANSWER


# Headers have members that no standard names, such as the time in ours.
_REGISTRY: Final = _AnswerRegistry(
    algorithms=[_ALGORITHM, *ContentCipher], strict_check_header=False
)


def make_cipher(written: MessageEncryption, environment: Environment) -> "MessageCipher | None":
    """The cipher of a mapping; None where the configuration names none of its secrets."""
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
        self._header = {"alg": _ALGORITHM, "enc": written.content.value, "kid": key_id}
        self._theirs = RSAKey.import_key(theirs)
        self._ours = RSAKey.import_key(ours)

    def seal(self, body: bytes) -> bytes:
        """A body that the party alone can read."""
        header = self._header | {"iat": time.time_ns() // 1_000_000}
        text = encrypt_compact(header, body, self._theirs, registry=_REGISTRY)
        return msgspec.json.encode({self._member: text})

    def is_sealed(self, answer: Any) -> bool:
        """Whether an answer came encrypted."""
        return isinstance(answer, dict) and answer.get(self._member) is not None

    def open(self, answer: Any) -> Any:
        """A sealed answer as it was before it was encrypted; or `ConnectorFailed`."""
        try:
            opened = decrypt_compact(answer[self._member], self._ours, registry=_REGISTRY)
            return msgspec.json.decode(opened.plaintext or b"")
        except (JoseError, ValueError, TypeError, msgspec.MsgspecError, RecursionError):
            raise ConnectorFailed(_UNREADABLE) from None
