"""Data for a 3-D Secure server out of Sentry's memory, in the code values of EMV 3-D Secure.

What the memory does not know for certain, and the request does not say, is left out: an issuer
believes what it is sent.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.core.api_values import doc
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.sentry import kinds
from gatehouse.sentry.authentication.reading import NOTHING_SAID, last_authentication
from gatehouse.sentry.memory.entity_history import TIME_SHIFT, EntityHistory
from gatehouse.sentry.memory.memory import DAY_S, MemoryEvent
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.request import DeliveryTimeframe, EventTime, ShipIndicator
from gatehouse.sentry.request_view import RequestView

_SIX_MONTHS_S: Final = 183 * DAY_S
_YEAR_S: Final = 365 * DAY_S
_ONCE: Final = (1 << TIME_SHIFT) - 1
"""The bits of a link that say how often."""

Code = Annotated[str, Meta(pattern=r"^0[1-5]\Z")]
Digits = Annotated[str, Meta(pattern=r"^[0-9]{1,4}\Z")]


class AcctInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """`acctInfo` of an authentication request: what is known of the cardholder's account."""

    chAccAgeInd: Annotated[
        Code | UnsetType,
        doc(
            "Age of the account: `02` made with this payment, `03` less than 30 days, "
            "`04` 30 to 60, `05` more than 60."
        ),
    ] = UNSET
    chAccChangeInd: Annotated[
        Code | UnsetType,
        doc(
            "Last change: `01` with this payment, `02` less than 30 days ago, `03` 30 "
            "to 60, `04` more than 60."
        ),
    ] = UNSET
    chAccPwChangeInd: Annotated[
        Code | UnsetType,
        doc(
            "Last change of the password: `02` with this payment, `03` less than 30 "
            "days ago, `04` 30 to 60, `05` more than 60."
        ),
    ] = UNSET
    paymentAccInd: Annotated[
        Code | UnsetType,
        doc(
            "The card on the account: `02` since this payment, `03` for less than 30 "
            "days, `04` 30 to 60, `05` more than 60."
        ),
    ] = UNSET
    shipAddressUsageInd: Annotated[
        Code | UnsetType,
        doc(
            "The shipping address: `01` with this payment for the first time, `02` "
            "for less than 30 days, `03` 30 to 60, `04` more than 60."
        ),
    ] = UNSET
    shipNameIndicator: Annotated[
        Code | UnsetType, doc("`01` the parcel bears the account's name, `02` another.")
    ] = UNSET
    suspiciousAccActivity: Annotated[
        Code | UnsetType, doc("`01` no fraud is known of the account, `02` some is.")
    ] = UNSET
    nbPurchaseAccount: Annotated[Digits | UnsetType, doc("Purchases in the last six months.")] = (
        UNSET
    )
    provisionAttemptsDay: Annotated[Digits | UnsetType, doc("New cards in the last 24 hours.")] = (
        UNSET
    )
    txnActivityDay: Annotated[Digits | UnsetType, doc("Attempts in the last 24 hours.")] = UNSET
    txnActivityYear: Annotated[Digits | UnsetType, doc("Attempts in the last year.")] = UNSET


class MerchantRiskIndicator(msgspec.Struct, frozen=True, omit_defaults=True):
    """`merchantRiskIndicator` of an authentication request."""

    shipIndicator: Annotated[
        ShipIndicator | UnsetType, doc("Where the goods go, as the request says.")
    ] = UNSET
    deliveryTimeframe: Annotated[
        DeliveryTimeframe | UnsetType, doc("When they come, as the request says.")
    ] = UNSET
    reorderItemsInd: Annotated[
        Code | UnsetType, doc("`01` the buyer orders this cart for the first time, `02` again.")
    ] = UNSET
    preOrderPurchaseInd: Annotated[Code | UnsetType, doc("`01` available, `02` later.")] = UNSET
    preOrderDate: Annotated[str | UnsetType, doc("When, as YYYYMMDD.")] = UNSET
    giftCardCount: Annotated[Digits | UnsetType, doc("Gift cards.")] = UNSET
    giftCardAmount: Annotated[str | UnsetType, doc("What they come to, in whole units.")] = UNSET


class PriorAuthentication(msgspec.Struct, frozen=True, omit_defaults=True):
    """`threeDSRequestorPriorAuthenticationInfo`: the last time this card was authenticated here."""

    threeDSReqPriorAuthTimestamp: Annotated[str | UnsetType, doc("When, UTC, as YYYYMMDDHHMM.")] = (
        UNSET
    )


class ThreeDSecureData(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a 3-D Secure server can be sent as it is."""

    acctInfo: Annotated[AcctInfo | UnsetType, doc("About the account.")] = UNSET
    merchantRiskIndicator: Annotated[MerchantRiskIndicator | UnsetType, doc("About the order.")] = (
        UNSET
    )
    threeDSRequestorPriorAuthenticationInfo: Annotated[
        PriorAuthentication | UnsetType, doc("About an earlier authentication.")
    ] = UNSET


def three_ds_data(
    view: RequestView, event: MemoryEvent, ship_address_input: str | None
) -> ThreeDSecureData:
    """All that is known of a request for a 3-D Secure server."""
    account = _account_info(view, event, ship_address_input)
    risk, earlier = _merchant_risk(view), _prior(view.history, event)
    return ThreeDSecureData(
        UNSET if account == _NO_ACCOUNT else account, UNSET if risk == _NO_RISK else risk, earlier
    )


_NO_ACCOUNT: Final = AcctInfo()
_NO_RISK: Final = MerchantRiskIndicator()


def _account_info(view: RequestView, event: MemoryEvent, ship_input: str | None) -> AcctInfo:
    said, at_s = view.request.authentication or NOTHING_SAID, event.at_s
    history = view.history
    user = None if history is None else history.first.get(kinds.USER)
    card = None if history is None else history.first.get(kinds.CARD)
    same = said.ships_to_account_name
    counts = {} if user is None else _activity(user, at_s)
    return AcctInfo(
        chAccAgeInd=_account_age(said.account_created_at, user, at_s),
        chAccChangeInd=_account_change(said.account_changed_at, user, history, at_s),
        chAccPwChangeInd=_since(said.password_changed_at, at_s, _FROM_TWO),
        paymentAccInd=_card_age(user, card, history, at_s),
        shipAddressUsageInd=_ship_address(history, event, ship_input),
        shipNameIndicator=UNSET if same is None else ("01" if same else "02"),
        suspiciousAccActivity=_suspicious(history, user),
        **counts,
    )


_Ages = Callable[[float], str]


def _from_two(days: float) -> str:
    """The codes of an age that begins with 02, for a payment of the same moment."""
    return "02" if days <= 0 else "03" if days < 30 else "04" if days <= 60 else "05"


def _from_one(days: float) -> str:
    """The same for values that begin with 01."""
    return "01" if days <= 0 else "02" if days < 30 else "03" if days <= 60 else "04"


_FROM_TWO: Final[_Ages] = _from_two
_FROM_ONE: Final[_Ages] = _from_one


def _since(moment: EventTime | None, at_s: float, ages: _Ages) -> str | UnsetType:
    return UNSET if moment is None else ages((at_s - moment.seconds) / DAY_S)


def _account_age(
    made: EventTime | None, user: EntityHistory | None, at_s: float
) -> str | UnsetType:
    """As the request says; otherwise since the memory knows the user, if that is not just now."""
    if made is not None or user is None:
        return _since(made, at_s, _FROM_TWO)
    days = (at_s - user.first_s) / DAY_S
    return UNSET if days <= 0 else _FROM_TWO(days)


def _account_change(
    changed: EventTime | None, user: EntityHistory | None, history: History | None, at_s: float
) -> str | UnsetType:
    """A card that is new for the user is a change of the account."""
    if user is not None and history is not None and user.events > 1:
        card = history.keys.get(kinds.CARD)
        if card is not None and user.times_with(card) == 1:
            return "01"
    return _since(changed, at_s, _FROM_ONE)


def _card_age(
    user: EntityHistory | None, card: EntityHistory | None, history: History | None, at_s: float
) -> str | UnsetType:
    """Since when the card is the user's; unknown where others have used it, too."""
    if user is None or card is None or history is None:
        return UNSET
    key = history.keys.get(kinds.CARD)
    if key is not None and user.times_with(key) <= 1:
        return "02"
    if len(card.links_to(kinds.USER)) != 1:
        return UNSET
    return _FROM_TWO((at_s - card.first_s) / DAY_S)


def _ship_address(
    history: History | None, event: MemoryEvent, ship_input: str | None
) -> str | UnsetType:
    """Since when the address is used, where the account says which custom input holds it."""
    if history is None or ship_input is None:
        return UNSET
    wanted = f"{ship_input}="
    inputs = [value for kind, value in event.entities if kind is kinds.CUSTOM]
    place = next((at for at, value in enumerate(inputs) if value.startswith(wanted)), None)
    if place is None:
        return UNSET
    known = history.all_of(kinds.CUSTOM)[place]
    return _FROM_ONE((event.at_s - known.first_s) / DAY_S)


def _suspicious(history: History | None, user: EntityHistory | None) -> str | UnsetType:
    if history is None or user is None:
        return UNSET
    return "02" if history.has_fraud(kinds.USER) or history.has_fraud(kinds.CARD) else "01"


def _activity(user: EntityHistory, at_s: float) -> dict[str, str]:
    """What the user did in a day, in six months and in a year, as far as it is kept."""
    day = user.count(at_s - DAY_S, at_s)
    cards = [
        1
        for known in user.links_to(kinds.CARD)
        if known & _ONCE == 1 and known >> TIME_SHIFT > at_s - DAY_S
    ]
    found = {"txnActivityDay": _at_most(day, 999), "provisionAttemptsDay": str(len(cards))}
    if _is_whole(user, at_s - _YEAR_S):
        found["txnActivityYear"] = _at_most(user.count(at_s - _YEAR_S, at_s), 999)
    since_s = at_s - _SIX_MONTHS_S
    refused = user.refused
    if _is_whole(user, since_s) and (refused is None or _is_whole(refused, since_s)):
        failed = 0.0 if refused is None else refused.count(since_s, at_s)
        # This payment is not a purchase yet.
        bought = max(user.count(since_s, at_s) - failed - 1, 0)
        found["nbPurchaseAccount"] = _at_most(bought, 9999)
    return found


def _is_whole(history: EntityHistory, since_s: float) -> bool:
    """Whether nothing since a moment was dropped: busy entities are remembered for a month."""
    timeline = history.timeline
    if timeline is None:
        return True
    return timeline[0] <= since_s or sum(timeline[1::3]) >= max(history.events, 1)


def _at_most(number: float, most: int) -> str:
    return str(min(round(number), most))


def _merchant_risk(view: RequestView) -> MerchantRiskIndicator:
    said, history = view.request.authentication or NOTHING_SAID, view.history
    cart = None if history is None else history.of(kinds.CART)
    again: str | UnsetType = UNSET
    if cart is not None and history is not None and kinds.USER in history.first:
        again = "02" if cart.times_with(kinds.USER) > 1 else "01"
    later = said.pre_order_at
    amount = said.gift_card_amount
    kept = amount is not None and 0 <= amount < MICROS_PER_UNIT
    return MerchantRiskIndicator(
        shipIndicator=UNSET if said.ship_indicator is None else said.ship_indicator,
        deliveryTimeframe=UNSET if said.delivery_timeframe is None else said.delivery_timeframe,
        reorderItemsInd=again,
        preOrderPurchaseInd=UNSET if later is None else "02",
        preOrderDate=UNSET if later is None else _day(later.seconds),
        giftCardCount=UNSET if said.gift_cards is None else f"{said.gift_cards:02d}",
        giftCardAmount=str(round(amount)) if kept and amount is not None else UNSET,
    )


def _prior(history: History | None, event: MemoryEvent) -> PriorAuthentication | UnsetType:
    card = None if history is None else history.first.get(kinds.CARD)
    last_s = None if card is None else last_authentication(card)
    if last_s is None or last_s >= int(event.at_s):
        return UNSET
    return PriorAuthentication(f"{_utc(last_s):%Y%m%d%H%M}")


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _day(seconds: float) -> str:
    return _utc(seconds).date().isoformat().replace("-", "")
