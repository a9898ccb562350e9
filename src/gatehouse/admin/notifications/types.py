"""What a kept notification is, and how faces show it."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import DEFAULT_PAGE, CamelStruct, HasMore, PageSize, doc
from gatehouse.core.clock import Moment
from gatehouse.gateway.notifying import NotifiedEvent

TRIED_MS: Final = 600_000
"""How long the payment of a notification is looked for. A provider can be quicker than the commit
of the request that made it; what is about other payments must not be looked at for long.
"""
KEPT_MS: Final = 90 * 86_400_000
MOST_KEPT: Final = 1_000_000
"""Of the whole installation; the oldest are deleted first."""
MOST_BYTES: Final = 262_144
"""Of one message."""
MOST_A_SECOND: Final = 200
"""Messages of one connector that a server takes; providers send refused ones again."""

NotificationId = Annotated[
    str, doc("The id of the notification.", "ntf_01kcb5f6y3mzq8vd0e2h4x7n9t")
]


class NotificationState(StrEnum):
    """What became of a notification."""

    WAITING = "WAITING"
    """It is kept, and applied next; or its payment is not known yet."""
    APPLIED = "APPLIED"
    """Something follows from it."""
    NOTHING = "NOTHING"
    """Nothing was left to change: that was known, or something newer is."""
    UNMATCHED = "UNMATCHED"
    """No payment was found for it within ten minutes, or it contradicts its payment."""


class KeptNotification(msgspec.Struct, frozen=True, kw_only=True):
    """A notification as it is stored."""

    id: str
    connector: str
    name: str
    event: NotifiedEvent
    state: NotificationState
    content: str
    """The mapped fields, as JSON."""
    received_at_ms: int
    changed_at_ms: int
    attempts: int = 0
    at_ms: int | None = None
    next_at_ms: int | None = None
    account_id: str | None = None
    request_id: str | None = None
    about: str | None = None
    detail: str | None = None


class NotificationSearch(CamelStruct):
    """Which notifications to list."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        Annotated[str, Meta(pattern=r"^ntf_[0-7][0-9a-hjkmnp-tv-z]{25}\Z")] | None,
        doc("The last `notificationId` of the page before."),
    ] = None
    request_id: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        doc("Only those about the payment of this request."),
    ] = None
    state: Annotated[NotificationState | None, doc("Only those of which this became.")] = None
    event: Annotated[NotifiedEvent | None, doc("Only those that tell this.")] = None
    connector: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        doc("Only those of this connector.", "acquirer"),
    ] = None


class NotificationShown(CamelStruct, kw_only=True):
    """What a provider told of a payment by itself."""

    notification_id: NotificationId
    connector: Annotated[str, doc("The connector whose provider sent it.", "acquirer")]
    event: Annotated[NotifiedEvent, doc("What it tells.")]
    state: Annotated[
        NotificationState,
        doc(
            "`APPLIED`: something followed from it. `NOTHING`: nothing was left to "
            "change. `WAITING`: it is applied next. `UNMATCHED`: it contradicts its payment."
        ),
    ]
    request_id: Annotated[str | None, doc("The request that made the payment, once it is found.")]
    received_at: Annotated[Moment, doc("When it came (RFC 3339).")]
    happened_at: Annotated[Moment | None, doc("When it happened, as the provider says (RFC 3339).")]
    changed_at: Annotated[Moment, doc("When its state last changed (RFC 3339).")]
    amount_minor: Annotated[int | None, doc("In the smallest unit of the currency.", 1000)]
    currency: Annotated[str | None, doc("ISO 4217 code, if the provider names it.", "EUR")]
    reference: Annotated[str | None, doc("The provider's name for the operation or the case.")]
    reason: Annotated[str | None, doc("Why nothing followed, or nothing so far.", "no_payment")]


class NotificationPage(CamelStruct):
    """Notifications, newest first."""

    notifications: Annotated[list[NotificationShown], doc("Newest first.")]
    has_more: HasMore
