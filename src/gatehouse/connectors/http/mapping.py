"""What a mapping file says: how requests are made, how answers are read, how errors are classed.

It is plain data, so that a version of a configuration can keep it. `connectors.http.reading` reads
it from YAML and checks it; `connectors.http.compiled` makes it quick.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from gatehouse.connectors.http.authentication import Authentication, MessageEncryption
from gatehouse.connectors.http.mapping_parts import (
    MOST_ENTRIES,
    HeaderName,
    MappingPart,
    Name,
    OptionName,
    Status,
    Table,
    Text,
)
from gatehouse.connectors.http.notification_mapping import NotificationMapping
from gatehouse.connectors.http.reader import Reading
from gatehouse.core.reading.validation import Checked


class MappedFunction(StrEnum):
    """What a mapping can answer for."""

    PRECHECK = "precheck"
    IDVERIFY = "idverify"
    AUTHORIZE = "authorize"
    REVERSE = "reverse"
    CAPTURE = "capture"
    REFUND = "refund"
    PAGE = "page"
    PAGE_STATUS = "page_status"
    CHARGE = "charge"
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
    headers: Annotated[dict[HeaderName, Text], Meta(max_length=50)] = msgspec.field(
        default_factory=dict
    )
    body: Any = None
    """Nested JSON; its texts are templates."""
    encoding: BodyEncoding = BodyEncoding.JSON
    when: Annotated[tuple[Text, ...], Meta(max_length=10)] | Text = ()
    """The request is made in this way when these fields are there."""
    brands: Annotated[tuple[Text, ...], Meta(max_length=30)] | Text = ()
    """The request is made in this way for cards of these brands."""
    after_s: Annotated[int, Meta(ge=0, le=3_600)] = 0
    """A reversal: not before the payment is this old, because it may still be on its way."""


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
    network_transaction_id: Reading | None = None
    """How the network calls the payment."""
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


class OperationMappingAnswer(MappingPart, frozen=True):
    """How the answer about a capture or a refund is read."""

    result: Reading
    """`succeeded`, `refused`, or `pending` where a message of the party tells the end later."""
    response_code: Reading | None = None
    id: Reading | None = None
    """How the party calls the operation."""
    amount: Reading | None = None
    """In the smallest unit; an answer about another amount than was asked for is not believed."""
    currency: Reading | None = None
    """The same, of another currency."""


class OperationMapping(MappingPart, frozen=True):
    """Captures or refunds a payment that stands, whole or in part."""

    request: Requests
    answer: OperationMappingAnswer
    errors: Errors = ()
    repeatable: bool = False
    """Whether the party does nothing twice for one `{operation.id}`, so that a request without an
    answer may be sent again."""


class PageAnswer(MappingPart, frozen=True):
    """How the answer about a new payment page is read."""

    url: Reading
    id: Reading | None = None
    """How the party calls the page."""


class PageMapping(MappingPart, frozen=True):
    """Makes a payment page that the party shows; nothing is made twice for one `{reference}`."""

    request: Requests
    answer: PageAnswer
    errors: Errors = ()


class PageStatusAnswer(MappingPart, frozen=True):
    """How the answer about a payment page is read."""

    status: Reading
    """`open`, `paid`, `refused` or `expired`."""
    amount: Reading
    """What was paid, in the smallest unit."""
    currency: Reading
    stored_card: Reading | None = None
    """How the party calls the card that paid, if it was to be stored."""


class PageStatusMapping(MappingPart, frozen=True):
    """Asks how a payment page stands."""

    request: Requests
    answer: PageStatusAnswer
    errors: Errors = ()


class ChargeMapping(MappingPart, frozen=True):
    """Charges a stored card; nothing is charged twice for one `{reference}`."""

    request: Requests
    answer: OperationMappingAnswer
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
    secrets: Secrets = msgspec.field(default_factory=dict)
    """Name and description of what must stay secret; the configuration says where each is."""
    options: Annotated[dict[OptionName, Option], Meta(max_length=50)] = msgspec.field(
        default_factory=dict
    )
    authentication: Authentication | None = None
    encryption: MessageEncryption | None = None
    headers: Annotated[dict[HeaderName, Text], Meta(max_length=50)] = msgspec.field(
        default_factory=dict
    )
    """Of every request."""
    tables: Annotated[dict[OptionName, Table], Meta(max_length=MOST_ENTRIES)] = msgspec.field(
        default_factory=dict
    )
    precheck: CheckMapping | None = None
    idverify: IdentityMapping | None = None
    authorize: AuthorizeMapping | None = None
    reverse: ReverseMapping | None = None
    capture: OperationMapping | None = None
    refund: OperationMapping | None = None
    page: PageMapping | None = None
    page_status: PageStatusMapping | None = None
    charge: ChargeMapping | None = None
    health: HealthMapping | None = None
    notifications: NotificationMapping | None = None
