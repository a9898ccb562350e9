"""What a mapping says about messages that the party sends by itself."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from gatehouse.connectors.http.authentication import ByteEncoding, Digest
from gatehouse.connectors.http.mapping_parts import HeaderName, MappingPart, Text
from gatehouse.connectors.http.reader import Reading
from gatehouse.core.api_values import doc
from gatehouse.core.reading.validation import Checked

PartName = Annotated[str, doc("1 to 32 letters, digits and _", pattern=r"[A-Za-z0-9_]{1,32}")]
_Paths = Annotated[tuple[Text, ...], Meta(min_length=1, max_length=20)]


class SignedTime(MappingPart, frozen=True):
    """Where a message says when it was signed, in seconds since 1970."""

    header: HeaderName
    part: PartName | None = None


class NotificationSignature(Checked, MappingPart, frozen=True):
    """How a message is proved to be the party's: HMAC with a key that both know."""

    keys: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=5)]
    """Any of them will do, so that one can take the place of another."""
    header: HeaderName | None = None
    """Where the signature stands; or `path`, in the notification itself."""
    path: Text | None = None
    part: PartName | None = None
    """Of a header such as `t=1700000000,v1=5257a8`: the name before the signature."""
    time: SignedTime | None = None
    tolerance_s: Annotated[int, Meta(ge=1, le=3_600)] = 300
    sign: Text = "{body}"
    """What is signed: `{body}`, `{time}` and `{header.NAME}`."""
    sign_paths: _Paths | None = None
    """Instead: the values at these paths of the notification, with colons between them."""
    key_encoding: ByteEncoding = ByteEncoding.TEXT
    algorithm: Digest = Digest.SHA256
    encoding: ByteEncoding = ByteEncoding.HEX

    def problems(self) -> Iterator[tuple[str, str]]:
        """A signature is in one place, over one thing."""
        if (self.header is None) == (self.path is None):
            yield "", "needs either header or path"
        if self.path is not None and self.sign_paths is None:
            yield "sign_paths", "is needed with path: a body cannot hold the signature of itself"
        if self.part is not None and self.header is None:
            yield "part", "is of a header"
        if self.encoding == ByteEncoding.TEXT:
            yield "encoding", "must be base64 or hex"
        if isinstance(self.sign, str) and ("{time}" in self.sign) != (self.time is not None):
            yield "time", "is where {time} of sign stands; give both or neither"
        if self.sign_paths is None and isinstance(self.sign, str) and "{body}" not in self.sign:
            yield "sign", "must hold {body}, or nothing of the message is proved"


class CaseMapping(MappingPart, frozen=True):
    """How a dispute, or a report of fraud, is read."""

    id: Reading
    at: Reading | None = None
    """When it was opened."""
    network: Reading | None = None
    reason: Reading | None = None
    stage: Reading | None = None
    result: Reading | None = None
    respond_by: Reading | None = None


class NotificationMapping(Checked, MappingPart, frozen=True):
    """How messages of the party about payments are proved and read."""

    signature: NotificationSignature
    event: Reading
    list: Text | None = None
    """Where the notifications of a message are, if it holds several."""
    id: Reading | None = None
    """The same for a message that comes twice; left out: what is read is compared."""
    at: Reading | None = None
    payment_id: Reading | None = None
    reference: Reading | None = None
    operation: Reading | None = None
    """`{operation.id}` as it was sent."""
    operation_id: Reading | None = None
    """The party's name for the operation."""
    amount: Reading | None = None
    currency: Reading | None = None
    response_code: Reading | None = None
    case: CaseMapping | None = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """A notification is about a payment."""
        if self.payment_id is None and self.reference is None:
            yield "", "needs payment_id or reference, by which the payment is found"
