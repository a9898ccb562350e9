"""What a top-up by card is, as faces show it."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.reading.validation import Checked
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.payment import LARGEST_PAYMENT

PAGE_LIFETIME_MS: Final = 24 * 3_600_000
MOST_OPEN: Final = 10
"""Of an account at a time."""
MOST_LISTED: Final = 100
MOST_REFUSALS: Final = 3
"""In a row; then automatic top-ups are turned off."""

_LIMIT_TOO_LOW: Final = Phrase("invalid.monthly_limit", "must be at least amountMinor")

TopUpId = Annotated[
    str, doc("The id of the top-up.", "top_01kcb5f7a0mzq8vd0e2h4x7n9t", min_length=1, max_length=64)
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


class TopUpKind(StrEnum):
    """How a top-up is paid."""

    PAGE = "PAGE"
    """By a person, on the provider's page."""
    STORING = "STORING"
    """The same, and the card is stored for automatic top-ups."""
    AUTOMATIC = "AUTOMATIC"
    """With the stored card, because the balance was under its floor."""


class TopUpWanted(CamelStruct):
    """How much to add."""

    amount_minor: Annotated[
        int,
        doc(
            "What is to be added to the balance, in the smallest unit of its currency; "
            "the page asks for the account's tax besides.",
            5000,
            ge=1,
            le=LARGEST_PAYMENT,
        ),
    ]
    store_card: Annotated[
        bool,
        doc(
            "Whether the person who pays agrees that the provider stores the card, and "
            "that it is charged again by automatic top-ups. No card number comes to us."
        ),
    ] = False


class TopUpShown(CamelStruct):
    """A top-up by card."""

    top_up_id: TopUpId
    kind: Annotated[
        TopUpKind,
        doc(
            "PAGE is paid by a person, STORING too, and the card is stored. AUTOMATIC "
            "was charged to the stored card."
        ),
    ]
    state: Annotated[
        TopUpState,
        doc(
            "How far it is. WAITING and OPEN end by themselves. Of one IN_DOUBT "
            "nothing was added, and a person finds out why."
        ),
    ]
    amount_minor: Annotated[int, doc("What is added, in the smallest unit.", 5000)]
    tax_minor: Annotated[int, doc("The tax that is paid besides.", 950)]
    currency: Annotated[str, doc("ISO 4217 code.", "EUR")]
    url: Annotated[
        str | None,
        doc(
            "The page of the payment provider; null before it is made and after the "
            "top-up has ended.",
            "https://pay.example/p/1",
        ),
    ]
    created_at: Annotated[Moment, doc("When it was asked for (RFC 3339).")]
    changed_at: Annotated[Moment, doc("When it last changed (RFC 3339).")]
    expires_at: Annotated[Moment, doc("Until when it can be paid (RFC 3339).")]
    by: Annotated[str, doc("Who asked for it.", "key:key_01kcb5f6y3")]
    reason: Annotated[str | None, doc("Why it is as it is.", "other_amount")]


class TopUpList(CamelStruct):
    """Top-ups of an account."""

    top_ups: Annotated[list[TopUpShown], doc(f"The newest first; at most {MOST_LISTED}.")]


MinorAmount = Annotated[int, Meta(ge=1, le=LARGEST_PAYMENT)]


class AutoTopUpWanted(Checked, CamelStruct):
    """When to top up automatically, and how far."""

    enabled: Annotated[
        bool, doc("Whether the stored card is charged when the balance is under the floor.", True)
    ]
    floor_minor: Annotated[
        int,
        doc(
            "The balance under which it is topped up, in the smallest unit of its currency.",
            2000,
            ge=0,
            le=LARGEST_PAYMENT,
        ),
    ]
    amount_minor: Annotated[
        MinorAmount, doc("What is added each time; the account's tax is charged besides.", 5000)
    ]
    monthly_limit_minor: Annotated[
        MinorAmount,
        doc("The most that is added automatically in a calendar month (UTC), without tax.", 20000),
    ]

    def problems(self) -> Iterator[tuple[str, str]]:
        """A limit below one top-up would never allow any."""
        amount, limit = self.amount_minor, self.monthly_limit_minor
        if isinstance(amount, int) and isinstance(limit, int) and limit < amount:
            yield "monthlyLimitMinor", _LIMIT_TOO_LOW()


class TopUpLimit(CamelStruct):
    """The most that cards are charged in a day."""

    day_limit_minor: Annotated[
        int,
        doc(
            "The most that is charged in a day (UTC) by top-ups of every kind, their "
            "tax included, in the smallest unit of the account's currency.",
            30000,
            ge=0,
            le=LARGEST_PAYMENT,
        ),
    ]


class TopUpLimitShown(CamelStruct):
    """The most that cards are charged in a day, and what is left of it."""

    day_limit_minor: Annotated[int | None, doc("As it was set; null where it never was.", 30000)]
    charged_minor: Annotated[
        int,
        doc(
            "What was charged on this day, with what still can be paid or is in "
            "doubt, tax included.",
            5950,
        ),
    ]
    left_minor: Annotated[int | None, doc("What is left of the limit.", 24050)]
    currency: Annotated[str, doc("ISO 4217 code.", "EUR")]
    until: Annotated[Moment, doc("When the day ends (RFC 3339).")]


class AutoTopUpReason(StrEnum):
    """Why automatic top-ups pause, or were turned off."""

    REFUSED = "refused"
    MONTHLY_LIMIT = "monthly_limit"
    DAILY_LIMIT = "daily_limit"
    """That of the account, for all its top-ups by card."""
    IN_DOUBT = "in_doubt"
    """A person must look after a top-up first."""


class AutoTopUpShown(CamelStruct):
    """How automatic top-ups of an account are set, and how they are."""

    enabled: Annotated[bool, doc("Whether they are turned on.")]
    floor_minor: Annotated[int | None, doc("As it was set; null before it ever was.", 2000)]
    amount_minor: Annotated[int | None, doc("The same.", 5000)]
    monthly_limit_minor: Annotated[int | None, doc("The same.", 20000)]
    currency: Annotated[str, doc("ISO 4217 code.", "EUR")]
    this_month_minor: Annotated[
        int,
        doc(
            "What was added automatically this month (UTC), what is under way or in "
            "doubt included.",
            5000,
        ),
    ]
    card_stored_at: Annotated[
        Moment | None, doc("When the card was stored (RFC 3339); null where none is.")
    ]
    card_end: Annotated[
        str | None,
        doc(
            "The last characters of the provider's name for the stored card, where it "
            "is long enough to show any.",
            "9f3c",
        ),
    ]
    top_up_id: Annotated[str | None, doc("The top-up that is under way.", None)]
    refusals: Annotated[
        int, doc(f"How many were refused in a row; {MOST_REFUSALS} turn them off.", 0)
    ]
    paused_until: Annotated[Moment | None, doc("Until when they pause (RFC 3339).", None)]
    reason: Annotated[AutoTopUpReason | None, doc("Why they pause, or were turned off.", None)]
