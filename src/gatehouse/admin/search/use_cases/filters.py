"""What decisions and reviews can be searched by. These definitions decode, validate and document.

Every filter that is given must hold. Of a filter with a list, one of its values must.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import ClientReferenceId
from gatehouse.core.stages.outcomes import DecisionReason, Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.core.wording.sentences import Phrase, described, row
from gatehouse.sentry.request import EventTime
from gatehouse.store.decisions.review_events import ReviewState

_FILTER: Final = Phrase("refused.filter", "{name} {problem}")
_CURRENCY_FORM: Final = Phrase("invalid.currency_form", "a currency code such as USD")
_LESS: Final = Phrase("invalid.less_than_from", "must not be less than from")
_EARLIER: Final = Phrase("invalid.later_than_from", "must be later than from")
_BEFORE_1970: Final = Phrase("invalid.before_1970", "must not be before 1970")

DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 100
_MOST_VALUES: Final = 20
_LONGEST_NAME: Final = 1024
_LARGEST_AMOUNT: Final = 1e12

_Word = Annotated[str, Meta(min_length=1, max_length=128)]
_Words = Annotated[list[_Word], Meta(min_length=1, max_length=_MOST_VALUES)]
_Outcomes = Annotated[list[Outcome], Meta(min_length=1, max_length=_MOST_VALUES)]
_Reasons = Annotated[list[DecisionReason], Meta(min_length=1, max_length=_MOST_VALUES)]
_Labels = Annotated[list[Label], Meta(min_length=1, max_length=_MOST_VALUES)]
_States = Annotated[list[ReviewState], Meta(min_length=1, max_length=_MOST_VALUES)]
_Amount = Annotated[float, Meta(ge=0, le=_LARGEST_AMOUNT)]


class WrongFilters(InvalidInput):
    """Filters with values that no decision can have, by the names of their fields."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        said = (_FILTER(name=name, problem=problem) for name, problem in fields.items())
        super().__init__(row(said, ";"))
        self.fields = fields


class AmountRange(Checked, CamelStruct):
    """Amounts of orders in one currency, both ends included."""

    currency: Annotated[
        str,
        described(_CURRENCY_FORM, pattern=r"^[A-Za-z]{3,8}\Z", examples=["USD"]),
    ]
    least: Annotated[
        _Amount | None, doc("The smallest amount, in units of the currency.", 50.0)
    ] = msgspec.field(default=None, name="from")
    most: Annotated[_Amount | None, doc("The largest amount.", 500.0)] = msgspec.field(
        default=None, name="to"
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        """Whether the ends are in order."""
        least, most = self.least, self.most
        if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
            yield "to", _LESS()


class TimeRange(Checked, CamelStruct):
    """A span of time: from a moment on, and before another."""

    since: Annotated[
        EventTime | None, doc("From this moment on, RFC 3339.", "2026-11-01T00:00:00Z")
    ] = msgspec.field(default=None, name="from")
    until: Annotated[EventTime | None, doc("Before this moment.")] = msgspec.field(
        default=None, name="to"
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        """Whether the span has a length, and lies in the time of computers."""
        given = [each.seconds for each in (self.since, self.until) if isinstance(each, EventTime)]
        if any(seconds < 0 for seconds in given):
            yield "", _BEFORE_1970()
        elif len(given) == 2 and given[0] >= given[1]:
            yield "to", _EARLIER()


class DecisionSearchRequest(Personal, frozen=True, rename="camel", kw_only=True):
    """Which decisions are wanted; every filter that is given must hold."""

    user_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=_LONGEST_NAME)] | int | None,
        doc("Your name for the user, as it was sent.", "u-4711"),
    ] = None
    card_number: Annotated[
        CardNumber | None, doc("The card. Only its fingerprint is compared.")
    ] = None
    payment_account_reference: Annotated[
        AccountReference | None,
        doc(
            "The account behind cards: whatever token of it was sent. Only its "
            "fingerprint is compared."
        ),
    ] = None
    card_fingerprint: Annotated[
        _Word | _Words | None,
        doc(
            "The card by its `fingerprint`, or the account behind it by its "
            "`accountFingerprint`, as decisions of this account show it; or several of them."
        ),
    ] = None
    email: Annotated[
        Annotated[str, Meta(min_length=1, max_length=254)] | None,
        doc("E-mail address. Different spellings of one mailbox are the same."),
    ] = None
    phone: Annotated[
        Annotated[str, Meta(min_length=1, max_length=32)] | None,
        doc("Phone number in international form."),
    ] = None
    ip_address: Annotated[
        Annotated[str, Meta(min_length=1, max_length=128)] | None,
        doc("Address of the device. Of IPv6, its whole /64 is meant."),
    ] = None
    device_id: Annotated[
        _Word | None,
        doc(
            "The `deviceId` that was sent to Sentry, or the device as the event in a"
            " decision names it: `#…`."
        ),
    ] = None
    ring: Annotated[
        _Word | _Words | None,
        doc(
            "The ring that the request was linked with, as the event in a decision"
            " names it: `ring_…`; or several of them."
        ),
    ] = None
    transaction_id: Annotated[
        ClientReferenceId | None, doc("The `transactionId` that was sent to Sentry.")
    ] = None
    client_reference_id: Annotated[
        ClientReferenceId | None, doc("The `clientReferenceId` that was sent.")
    ] = None
    operation: Annotated[
        _Word | _Words | None, doc("The operation, or several of them.", "pipeline")
    ] = None
    decision: Annotated[
        Outcome | _Outcomes | None, doc("What was decided.", ["REVIEW", "DECLINE"])
    ] = None
    reason: Annotated[
        DecisionReason | _Reasons | None,
        doc(
            "What decided, in one word. Decisions of versions before this filter are "
            "not found by it.",
            ["ISSUER_UNAVAILABLE", "GATEWAY_ERROR"],
        ),
    ] = None
    rule: Annotated[_Word | _Words | None, doc("A rule that matched.")] = None
    shadow_rule: Annotated[
        _Word | _Words | None,
        doc("A rule that matched in shadow: it was recorded, and decided nothing."),
    ] = None
    tag: Annotated[_Word | _Words | None, doc("A tag of the answer.")] = None
    label: Annotated[
        Label | _Labels | None, doc("What the request turned out to be, as of now.")
    ] = None
    amount: Annotated[
        AmountRange | None, doc("The amount of the order.", {"from": 50, "currency": "USD"})
    ] = None
    at: Annotated[TimeRange | None, doc("When the request came in.")] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=LARGEST_PAGE)] | None,
        doc(f"Size of a page; {DEFAULT_PAGE} without it.", DEFAULT_PAGE),
    ] = None
    cursor: Annotated[
        Annotated[str, Meta(max_length=128)] | None, doc("The `nextCursor` of the page before.")
    ] = None


class ReviewSearchRequest(DecisionSearchRequest, frozen=True, rename="camel", kw_only=True):
    """Which reviews are wanted: filters of their decisions, and of the reviews themselves."""

    status: Annotated[
        ReviewState | _States | None, doc("Whether it is open, and else the verdict.")
    ] = None
