"""How a mapping says that the party knows us, and how bodies are encrypted for it."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.connectors.http.mapping_parts import HeaderName, MappingPart, Text
from gatehouse.core.reading.validation import Checked


class BasicAuth(MappingPart, frozen=True):
    """A user and a password."""

    user: Text
    password: Text


class ByteEncoding(StrEnum):
    """How bytes are written as text."""

    BASE64 = "base64"
    HEX = "hex"
    TEXT = "text"


class Digest(StrEnum):
    """The digests that a signature can use."""

    SHA256 = "sha256"
    SHA384 = "sha384"
    SHA512 = "sha512"


class HmacAuth(Checked, MappingPart, frozen=True):
    """A signature over parts of the request."""

    key: Text
    sign: Text
    """A template of what is signed."""
    headers: Annotated[dict[HeaderName, Text], Meta(min_length=1, max_length=20)]
    """What is sent; `{signature}` and `{digest}` stand for the results."""
    key_encoding: ByteEncoding = ByteEncoding.TEXT
    algorithm: Digest = Digest.SHA256
    encoding: ByteEncoding = ByteEncoding.BASE64
    """Of the signature."""
    digest: Digest = Digest.SHA256
    digest_encoding: ByteEncoding = ByteEncoding.BASE64

    def problems(self) -> Iterator[tuple[str, str]]:
        """Bytes are no text."""
        for name in ("encoding", "digest_encoding"):
            if getattr(self, name) == ByteEncoding.TEXT:
                yield name, "must be base64 or hex"


class SendClient(StrEnum):
    """Where a token request has the client's name and secret."""

    BASIC = "basic"
    BODY = "body"


class OAuthAuth(MappingPart, frozen=True):
    """A token by client credentials (OAuth 2.0)."""

    token_url: Text
    client_id: Text
    client_secret: Text
    send: SendClient = SendClient.BASIC
    scope: Text | None = None
    extra: Annotated[dict[Text, Text], Meta(max_length=10)] = msgspec.field(default_factory=dict)
    """More fields of the token request, such as audience."""


class Authentication(Checked, MappingPart, frozen=True):
    """How the party knows us; a certificate can come with any of these."""

    basic: BasicAuth | None = None
    bearer: Text | None = None
    hmac: HmacAuth | None = None
    oauth2: OAuthAuth | None = None
    client_certificate: bool = False
    """Whether the configuration must name a certificate of ours."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """Two of them would write the same header."""
        if self.hmac is not None and self.oauth2 is not None:
            yield "", "has hmac and oauth2; a request has one or the other"
        chosen = [name for name in ("basic", "bearer", "oauth2") if getattr(self, name) is not None]
        if len(chosen) > 1:
            yield "", f"has {' and '.join(chosen)}; all of them write the header Authorization"


class ContentCipher(StrEnum):
    """How an encrypted body is encrypted, by the names of JWE."""

    A128GCM = "A128GCM"
    A256GCM = "A256GCM"


class MessageEncryption(MappingPart, frozen=True):
    """Bodies as JWE (RSA-OAEP-256), used when the configuration names the secrets."""

    key_id: Text
    certificate: Text
    """Of the party, in PEM."""
    private_key: Text
    """Ours, in PEM."""
    member: Text = "encData"
    """The only member of a body that is encrypted."""
    content: ContentCipher = ContentCipher.A128GCM
