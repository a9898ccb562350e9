"""What the account is told as events: which decisions, and below which balance."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.events.use_cases.event_settings import (
    MOST_FILTERS,
    EventWishes,
    NewWishes,
    get_event_settings,
    parse_filter,
    set_event_settings,
    shown_filter,
)
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.core.api_values import Money, money
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT, parse_amount

_SCOPE: Final = "manage:account"
_FILTER: Final = ["pipeline:REVIEW,DECLINE"]


class EventSettingsBody(msgspec.Struct, frozen=True, rename="camel"):
    """What is to change; what is not sent stays."""

    decisions: Annotated[
        Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=MOST_FILTERS)] | None,
        Meta(
            description="An operation, or `*` for all, and after a colon the outcomes.",
            examples=[_FILTER],
        ),
    ] = None
    low_balance: Annotated[
        Annotated[float, Meta(ge=0, le=MAX_AMOUNT // MICROS_PER_UNIT)] | None,
        Meta(description="In units of the account's currency; 0 for none.", examples=[20]),
    ] = None


class EventSettingsShown(msgspec.Struct, frozen=True, rename="camel"):
    """What the account is told."""

    decisions: Annotated[
        list[str], Meta(description="Which decisions are told.", examples=[_FILTER])
    ]
    low_balance: Annotated[
        Money | None, Meta(description="Below which balance it is told; null for none.")
    ]


def _shown(call: ManageCall, wishes: EventWishes) -> EventSettingsShown:
    low, currency = wishes.low_balance, call.caller.account.currency
    return EventSettingsShown(
        [shown_filter(each) for each in wishes.decisions],
        None if low is None else money(currency, low),
    )


def _get(call: ManageCall) -> EventSettingsShown:
    return _shown(call, get_event_settings(call.session, call.account_id))


def _set(call: ManageCall) -> EventSettingsShown:
    given: EventSettingsBody = call.body
    low = given.low_balance
    new = NewWishes(
        None if given.decisions is None else tuple(map(parse_filter, given.decisions)),
        None if low is None else parse_amount(f"{low:.6f}"),
    )
    return _shown(call, set_event_settings(call.session, call.account_id, new))


EVENT_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/events",
        scope=_SCOPE,
        operation="getEventSettings",
        field="eventSettingsResponse",
        summary="Settings of events",
        about="Which decisions the account is told as events, and below which balance.",
        answer=EventSettingsShown,
        run=_get,
    ),
    ManageEndpoint(
        method="PUT",
        path="/events",
        scope=_SCOPE,
        operation="setEventSettings",
        field="eventSettingsResponse",
        summary="Set what is told as events",
        about="Changes what is sent, and leaves the rest. Servers act on it within a second.",
        body=EventSettingsBody,
        answer=EventSettingsShown,
        run=_set,
    ),
)
