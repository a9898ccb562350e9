"""What a mapping file says: how requests are made, how answers are read, how errors are classed.

It is plain data, so that a version of a configuration can keep it. `connectors.http.reading` reads
it from YAML and checks it; `connectors.http.compiled` makes it quick.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.core.reading.validation import Checked

MOST_ENTRIES: Final = 200
LONGEST_TEXT: Final = 2_000

Name = Annotated[
    str,
    Meta(
        pattern=r"[a-z][a-z0-9_-]{0,63}",
        description="1 to 64 small letters, digits, - and _, beginning with a letter",
    ),
]
OptionName = Annotated[
    str,
    Meta(
        pattern=r"[a-z][a-z0-9_]{0,63}",
        description="1 to 64 small letters, digits and _, beginning with a letter",
    ),
]
Text = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]
HeaderName = Annotated[
    str,
    Meta(pattern=r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}", description="the name of a header"),
]
Status = Annotated[
    str,
    Meta(
        pattern=r"[1-5][0-9]{2}|[1-5]xx|[1-5][0-9]{2}-[1-5][0-9]{2}",
        description="a status such as 404, 5xx or 500-504",
    ),
]
Table = Annotated[
    dict[Annotated[str, Meta(max_length=256)], Text], Meta(min_length=1, max_length=2_000)
]
"""What each word of the other side means; `*` stands for every other word."""


class MappingPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A base of all parts: strict, and short when it is kept."""


class MappedFunction(StrEnum):
    """What a mapping can answer for."""

    PRECHECK = "precheck"
    IDVERIFY = "idverify"
    AUTHORIZE = "authorize"
    REVERSE = "reverse"
    HEALTH = "health"


class Method(StrEnum):
    """The methods of HTTP that a request can have."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"


class BodyEncoding(StrEnum):
    """How the body of a request is written."""

    JSON = "json"
    FORM = "form"
    """As a form: members of members as `card[number]`, items of lists as `types[0]`."""


class RequestMapping(MappingPart, frozen=True):
    """How a request is made."""

    path: Text
    method: Method = Method.POST
    headers: Annotated[dict[HeaderName, Text], Meta(max_length=50)] = {}
    body: Any = None
    """Nested JSON; its texts are templates."""
    encoding: BodyEncoding = BodyEncoding.JSON
    when: Annotated[tuple[Text, ...], Meta(max_length=10)] | Text = ()
    """The request is made in this way when these fields are there."""
    brands: Annotated[tuple[Text, ...], Meta(max_length=30)] | Text = ()
    """The request is made in this way for cards of these brands."""
    after_s: Annotated[int, Meta(ge=0, le=3_600)] = 0
    """A reversal: not before the payment is this old, because it may still be on its way."""


class Reader(Checked, MappingPart, frozen=True):
    """Where a value stands in an answer, and what it means."""

    path: Text | Annotated[tuple[Text, ...], Meta(min_length=1, max_length=10)] = ()
    """One or more places; the first that holds something counts."""
    join: bool = False
    """The words of all places, with blanks between them, are one word for the table; a place that
    holds nothing is `-`."""
    value: Text | None = None
    """Always this, whatever the answer says."""
    format: Text | None = None
    table: Text | Table | None = None
    brands: Annotated[dict[Text, Text | Table], Meta(max_length=30)] = {}
    """A table for a brand, instead of `table`."""
    missing: Text | None = None
    """What it means when no place holds anything."""
    unknown: Text | None = None
    """What a word means that no table has; or `keep`, `skip` or `fail`."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """A value is read from a place or is always the same."""
        if (self.path == ()) == (self.value is None):
            yield "", "needs either path or value"
        if self.join and isinstance(self.path, str | None):
            yield "join", "is for several places: path must be a list"
        if self.join and self.table is None and not self.brands:
            yield "join", "needs a table for the words together"


Reading = Text | Reader | Annotated[tuple[Text | Reader, ...], Meta(min_length=1, max_length=10)]
"""A path, a reader, or several of them of which the first that gives something counts."""


class NameMapping(MappingPart, frozen=True):
    """How the results of comparing a name are read."""

    first: Reading | None = None
    middle: Reading | None = None
    last: Reading | None = None
    whole: Reading | None = None
    result: Reading | None = None


class IdentifierMapping(MappingPart, frozen=True, rename="upper"):
    """How the results of comparing identifiers are read."""

    driverlicense: Reading | None = None
    passport: Reading | None = None
    nationalidentity: Reading | None = None
    tax: Reading | None = None


class HolderMapping(MappingPart, frozen=True):
    """How the results about the holder of a card are read."""

    email: Reading | None = None
    phone: Reading | None = None
    name: NameMapping | None = None
    identifiers: IdentifierMapping | None = None


class ErrorClass(StrEnum):
    """What an answer that is none means."""

    RETRY = "retry"
    """The party cannot answer now; another try later may succeed."""
    MISTAKE = "mistake"
    """The request or the configuration is wrong; another try changes nothing."""
    DECLINED = "declined"
    """The card or the payment was refused."""
    DONE = "done"
    """A reversal: the payment is known not to stand."""


class AnswerCondition(MappingPart, frozen=True):
    """A place of the answer, and the words it must hold one of."""

    path: Text
    equals: Text | Annotated[tuple[Text, ...], Meta(min_length=1, max_length=500)] = ()
    """Left out: anything, as long as the place holds something."""


class ErrorRule(Checked, MappingPart, frozen=True):
    """What answers of a status, or with certain words, mean. The first rule that fits counts."""

    then: ErrorClass
    status: Status | Annotated[tuple[Status, ...], Meta(min_length=1, max_length=50)] = ()
    where: AnswerCondition | None = None
    response_code: Reading | None = None
    """Of a refusal."""
    say: Annotated[str, Meta(max_length=200)] = ""
    """For the operator: what to do about it."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """A rule fits something, and a refusal has a code."""
        if self.status == () and self.where is None:
            yield "", "needs status or where, or it would fit every answer"
        if self.then == ErrorClass.DECLINED and self.response_code is None:
            yield "", "declined needs response_code"
        others = (ErrorClass.RETRY, ErrorClass.MISTAKE, ErrorClass.DONE)
        if self.then in others and self.response_code is not None:
            yield "response_code", "is for declined only"


Requests = RequestMapping | Annotated[tuple[RequestMapping, ...], Meta(min_length=1, max_length=5)]
Errors = Annotated[tuple[ErrorRule, ...], Meta(max_length=50)]


class CardCheckAnswer(MappingPart, frozen=True):
    """How the answer about a card is read."""

    response_code: Reading
    avs: Reading | None = None
    cvv2: Reading | None = None
    holder: HolderMapping | None = None


class CheckMapping(MappingPart, frozen=True):
    """PreCheck: asks about a card; the same call may answer for its holder."""

    request: Requests
    answer: CardCheckAnswer
    errors: Errors = ()


class IdentityAnswer(MappingPart, frozen=True):
    """How the answer about a holder is read."""

    holder: HolderMapping


class IdentityMapping(MappingPart, frozen=True):
    """ID Verify: asks about the holder of a card."""

    request: Requests
    answer: IdentityAnswer
    errors: Errors = ()


class AuthorizeAnswer(MappingPart, frozen=True):
    """How the answer about a payment is read."""

    approved: Reading
    response_code: Reading
    approval_code: Reading | None = None
    id: Reading | None = None
    """How the party calls the payment."""
    link: Reading | None = None
    """Where the party wants the payment reversed: a path, or an address of the same host."""


class AuthorizeMapping(MappingPart, frozen=True):
    """Gateway: asks for a payment."""

    request: Requests
    answer: AuthorizeAnswer
    errors: Errors = ()
    reference: Text | None = None
    """Our own name for the payment; left out: the id of the request."""


class ReverseAnswer(MappingPart, frozen=True):
    """How the answer about a reversal is read."""

    reversed: Reading


class ReverseMapping(MappingPart, frozen=True):
    """Gateway: takes a payment back."""

    request: Requests
    answer: ReverseAnswer | None = None
    """Left out: every answer with a status of 2xx confirms it."""
    errors: Errors = ()


class HealthMapping(MappingPart, frozen=True):
    """Asks whether the party is there; every answer with a status of 2xx says yes."""

    request: Requests
    errors: Errors = ()


class Option(MappingPart, frozen=True):
    """A value that the configuration of a connector gives."""

    description: Annotated[str, Meta(max_length=500)] = ""
    default: Text | None = None
    required: bool = True
    """Without a default: whether it must be given."""


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
    extra: Annotated[dict[Text, Text], Meta(max_length=10)] = {}
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


class SecretNeed(MappingPart, frozen=True):
    """A secret that may be left out."""

    description: Annotated[str, Meta(max_length=500)] = ""
    required: bool = True


Secrets = Annotated[
    dict[OptionName, Annotated[str, Meta(max_length=500)] | SecretNeed], Meta(max_length=20)
]


class Mapping(MappingPart, frozen=True):
    """The whole file."""

    mapping: Name
    description: Annotated[str, Meta(max_length=2_000)] = ""
    secrets: Secrets = {}
    """Name and description of what must stay secret; the configuration says where each is."""
    options: Annotated[dict[OptionName, Option], Meta(max_length=50)] = {}
    authentication: Authentication | None = None
    encryption: MessageEncryption | None = None
    headers: Annotated[dict[HeaderName, Text], Meta(max_length=50)] = {}
    """Of every request."""
    tables: Annotated[dict[OptionName, Table], Meta(max_length=MOST_ENTRIES)] = {}
    precheck: CheckMapping | None = None
    idverify: IdentityMapping | None = None
    authorize: AuthorizeMapping | None = None
    reverse: ReverseMapping | None = None
    health: HealthMapping | None = None
