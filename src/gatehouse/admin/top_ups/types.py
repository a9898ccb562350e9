"""What a top-up by card is, as faces show it."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.clock import Moment
from gatehouse.gateway.payment import LARGEST_PAYMENT

PAGE_LIFETIME_MS: Final = 24 * 3_600_000
MOST_OPEN: Final = 10
"""Of an account at a time."""
MOST_LISTED: Final = 100

TopUpId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="The id of the top-up.",
        examples=["top_01kcb5f7a0mzq8vd0e2h4x7n9t"],
    ),
]


class TopUpState(StrEnum):
    """How far a top-up is."""

    WAITING = "WAITING"
    """The page is not made yet."""
    OPEN = "OPEN"
    """A person can pay."""
    PAID = "PAID"
    """It was paid and added to the balance."""
    REFUSED = "REFUSED"
    EXPIRED = "EXPIRED"
    FAILED = "FAILED"
    """The page could not be made."""
    IN_DOUBT = "IN_DOUBT"
    """What was paid is not what was asked for, or could not be added: a person must look."""


NOT_OVER: Final = (TopUpState.WAITING, TopUpState.OPEN)


class TopUpWanted(msgspec.Struct, frozen=True, rename="camel"):
    """How much to add."""

    amount_minor: Annotated[
        Annotated[int, Meta(ge=1, le=LARGEST_PAYMENT)],
        Meta(
            description="What is to be added to the balance, in the smallest unit of its currency; "
            "the page asks for the account's tax besides.",
            examples=[5000],
        ),
    ]


class TopUpShown(msgspec.Struct, frozen=True, rename="camel"):
    """A top-up by card."""

    top_up_id: TopUpId
    state: Annotated[
        TopUpState,
        Meta(
            description="How far it is. WAITING and OPEN end by themselves. Of one IN_DOUBT "
            "nothing was added, and a person finds out why."
        ),
    ]
    amount_minor: Annotated[
        int, Meta(description="What is added, in the smallest unit.", examples=[5000])
    ]
    tax_minor: Annotated[int, Meta(description="The tax that is paid besides.", examples=[950])]
    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["EUR"])]
    url: Annotated[
        str | None,
        Meta(
            description="The page of the payment provider; null before it is made and after the "
            "top-up has ended.",
            examples=["https://pay.example/p/1"],
        ),
    ]
    created_at: Annotated[Moment, Meta(description="When it was asked for (RFC 3339).")]
    changed_at: Annotated[Moment, Meta(description="When it last changed (RFC 3339).")]
    expires_at: Annotated[Moment, Meta(description="Until when it can be paid (RFC 3339).")]
    by: Annotated[str, Meta(description="Who asked for it.", examples=["key:key_01kcb5f6y3"])]
    reason: Annotated[
        str | None, Meta(description="Why it is as it is.", examples=["other_amount"])
    ]


class TopUpList(msgspec.Struct, frozen=True, rename="camel"):
    """Top-ups of an account."""

    top_ups: Annotated[
        list[TopUpShown], Meta(description=f"The newest first; at most {MOST_LISTED}.")
    ]
