"""What a review is in the API, with what people say about one, and their names."""

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from gatehouse.admin.decisions.use_cases.public_decisions import PublicDecision
from gatehouse.admin.decisions.use_cases.review_summary import ReviewSummary
from gatehouse.core.api_values import CamelStruct, Timestamp, doc
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import Checked
from gatehouse.core.wording.sentences import Phrase
from gatehouse.core.wording.text import is_blank
from gatehouse.store.decisions.review_events import EventKind, PaymentEffect, ReviewState
from gatehouse.store.requests.intents import IntentState

_ASSIGNEE_NAME: Final = Phrase(
    "refused.assignee_name",
    "a person is named by 1 to {most} letters, digits, spaces and . _ @ + ' -, "
    "beginning with a letter or digit",
)
_ASSIGNEE_WORD: Final = Phrase(
    "refused.assignee_word", "{name} cannot be the name of a person; it has a meaning of its own"
)

LONGEST_REASON: Final = 500
LONGEST_NOTE: Final = 2000
UNASSIGNED: Final = "unassigned"
"""The word by which faces ask for reviews that nobody has."""
ME: Final = "me"
"""The word by which a person at a terminal names themselves."""
LONGEST_NAME: Final = 64
_NAME: Final = re.compile(rf"[^\W_][\w.@+' -]{{0,{LONGEST_NAME - 1}}}")
MOST_AT_ONCE: Final = 100
"""How many reviews one call resolves."""


def person_name(text: str) -> str:
    """The name of a person to whom reviews are assigned; or `InvalidInput`."""
    name = unicodedata.normalize("NFC", text.strip())
    if _NAME.fullmatch(name) is None or recordable(name) != name:
        raise InvalidInput(_ASSIGNEE_NAME(most=LONGEST_NAME))
    if name.casefold() in (ME, UNASSIGNED):
        raise InvalidInput(_ASSIGNEE_WORD(name=name))
    return name


class ReviewVerdict(StrEnum):
    """The reviewer's verdict."""

    APPROVE = "APPROVE"
    DECLINE = "DECLINE"


PersonName = Annotated[str, Meta(max_length=LONGEST_NAME)]
VerdictField = Annotated[
    ReviewVerdict,
    doc("`APPROVE` when the payment was legitimate, `DECLINE` when it was fraud.", "APPROVE"),
]
ReasonField = Annotated[
    str,
    doc(
        "Why, kept with the review; card numbers in it are masked.",
        "Known customer, confirmed by phone",
        min_length=1,
        max_length=LONGEST_REASON,
    ),
]


class ReviewChange(Checked, CamelStruct, kw_only=True):
    """What every change of a review has."""

    reviewer: Annotated[
        PersonName | None, doc("Your name for the person who says so.", "amelia")
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        yield from _unfit("reviewer", self.reviewer)


class ReviewResolution(ReviewChange):
    """The reviewer's verdict on a decision, with the reason."""

    resolution: VerdictField
    reason: ReasonField

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        yield from _unfit("reviewer", self.reviewer)
        yield from _blank("reason", self.reason)


class BulkResolution(ReviewResolution, kw_only=True):
    """One verdict on many decisions."""

    request_ids: Annotated[
        list[Annotated[str, Meta(max_length=128)]],
        doc(
            "The `requestId`s of the decisions.",
            ["req_01kabcdefghjkmnpqrstvwxyz0"],
            min_length=1,
            max_length=MOST_AT_ONCE,
        ),
    ]


class ReviewNote(ReviewChange):
    """Something that a reviewer writes down."""

    text: Annotated[
        str,
        doc(
            "The note; card numbers in it are masked. It can be erased.",
            "Called the number on the invoice, nobody answered",
            min_length=1,
            max_length=LONGEST_NOTE,
        ),
    ]

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        yield from _unfit("reviewer", self.reviewer)
        yield from _blank("text", self.text)


class ReviewAssignment(ReviewChange):
    """Who is to have a review."""

    assignee: Annotated[
        PersonName | None, doc("Your name for the person; null for nobody.", "amelia")
    ]
    take_over: Annotated[bool | None, doc("Whether it may be taken from somebody else.")] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the names beyond their form."""
        yield from _unfit("reviewer", self.reviewer)
        yield from _unfit("assignee", self.assignee)


class PublicReviewEvent(CamelStruct):
    """One line of the history of a review."""

    at: Annotated[Timestamp, doc("When (RFC 3339).")]
    by: Annotated[
        str, doc("The key, with the person that it named, or the operator; or `service`.")
    ]
    kind: Annotated[EventKind, doc("What happened.")]
    assignee: Annotated[str | None, doc("Of `ASSIGNED`: who has it since; null is nobody.")]
    status: Annotated[ReviewState | None, doc("Of `RESOLVED` and `CORRECTED`: the state since.")]
    text: Annotated[str | None, doc("The note, or the reason; null when it was erased.")]
    payment: Annotated[
        PaymentEffect | None,
        doc(
            "Of `RESOLVED` and `CORRECTED`: what became of the payment that waited "
            "for the review. `LOST` was reversed before, and cannot be brought back."
        ),
    ]


class Review(CamelStruct):
    """A decision that waits for a reviewer, or was resolved by one."""

    request_id: Annotated[str, doc("The `requestId` of the decision.")]
    status: Annotated[ReviewState, doc("Whether it is open, and else the verdict.")]
    created_at: Annotated[Timestamp, doc("When it was opened (RFC 3339).")]
    assignee: Annotated[str | None, doc("Who has it; null is nobody.")]
    resolved_at: Annotated[
        Timestamp | None, doc("When it was resolved or corrected last (RFC 3339).")
    ]
    resolved_by: Annotated[str | None, doc("The key, or the operator, that did so.")]
    reason: Annotated[str | None, doc("Why, in the reviewer's words.")]
    payment_status: Annotated[
        IntentState | None,
        doc(
            "Of the payment that was authorized before the review: `REVIEW` while it "
            "waits, `REVERSE` when it is being reversed because the review was declined, then "
            "`REVERSED` or `FAILED`; null when there is none, or it stays as it is."
        ),
    ]
    note_count: Annotated[int, doc("How many notes there are.")]
    summary: Annotated[ReviewSummary | None, doc("Who, what, which card, from where, and why.")]
    decision: Annotated[PublicDecision | None, doc("The decision it speaks of.")]
    payment_meaning: Annotated[
        str | UnsetType | None,
        doc(
            "What the newest resolution meant for the payment, in words; null when "
            "no payment waited. Only of one review."
        ),
    ] = UNSET
    history: Annotated[
        list[PublicReviewEvent] | UnsetType,
        doc("What happened to it, notes included, oldest first. Only of one review."),
    ] = UNSET


class ReviewPage(CamelStruct):
    """A page of reviews in the order that was asked for."""

    reviews: list[Review]
    has_more: Annotated[bool, doc("Whether there are more after them.")]


class ResolutionOutcome(StrEnum):
    """What became of one of many reviews."""

    RESOLVED = "RESOLVED"
    ALREADY_RESOLVED = "ALREADY_RESOLVED"
    NOT_FOUND = "NOT_FOUND"


class ResolutionResult(CamelStruct):
    """The answer about one of many reviews."""

    request_id: Annotated[str, doc("As it was sent, card numbers masked.")]
    outcome: Annotated[ResolutionOutcome, doc("Whether it was resolved now.")]
    status: Annotated[ReviewState | None, doc("The review's state now; null when there is none.")]
    resolved_by: Annotated[str | None, doc("Who resolved it, now or before; null when nobody did.")]
    resolved_at: Annotated[Timestamp | None, doc("When.")]


class BulkResult(CamelStruct):
    """What became of many reviews, in the order in which they were sent."""

    results: list[ResolutionResult]
    resolved: Annotated[int, doc("How many were resolved now.")]
    refused: Annotated[int, doc("How many were not.")]


def _blank(field: str, text: object) -> Iterator[tuple[str, str]]:
    if isinstance(text, str) and is_blank(text):
        yield field, "must not be blank"


def _unfit(field: str, name: object) -> Iterator[tuple[str, str]]:
    if isinstance(name, str):
        try:
            person_name(name)
        except InvalidInput as error:
            yield field, str(error)
