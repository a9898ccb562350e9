"""What a Sentry request holds. This one definition decodes, validates and documents it.

Only the wrong JSON type, an unknown event type, an unreadable timestamp and a null custom input are
refused. An implausible value is scored, because Sentry exists to find such values.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.reading.custom_inputs import CustomInputs, custom_problems
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import ClientReferenceField
from gatehouse.core.wording.sentences import Phrase, described

_RFC_3339: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_LEAP_SECOND: Final = slice(17, 19)
_MICROSECONDS: Final = 26
"""Where six digits after the point end; more than these Python does not read."""

_FIRST_S: Final = -62_135_596_800.0
_AFTER_S: Final = 253_402_300_800.0
"""The years 1 to 9999."""

_TIME: Final = Phrase(
    "invalid.time", "must be a date and time as in RFC 3339, such as 2026-11-15T09:30:00Z"
)()
_DEVICE_FORM: Final = Phrase("invalid.device_form", "1 to 128 visible ASCII characters")

MOST_CART_ITEMS: Final = 1000
MOST_CART_BYTES: Final = 262_144
"""The largest body with a cart, so that this many ordinary lines fit."""
MOST_DISCOUNT_CODES: Final = 1000

LONGEST_REFERENCE: Final = 64

CallerName = str | int
"""An identifier of the caller's: some number their users and orders, others name them."""


class EventType(StrEnum):
    """What happened."""

    PURCHASE = "PURCHASE"
    RECURRING_PURCHASE = "RECURRING_PURCHASE"


class EventTime:
    """A moment in the words of RFC 3339; whether it can be true is not a question of form."""

    __slots__ = ("seconds",)
    schema: ClassVar = {"type": "string", "format": "date-time"}

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept a date and a time with an offset from UTC."""
        wrong = ValueError(_TIME)
        if len(text) > 40 or _RFC_3339.fullmatch(text) is None:
            raise wrong
        if text[_LEAP_SECOND] == "60":
            text = f"{text[:17]}59{text[19:]}"
        if text[19] == ".":
            offset = text.rstrip("Zz")
            offset = text[-6:] if offset == text else "Z"
            text = text[: len(text) - len(offset)][:_MICROSECONDS] + offset
        try:
            seconds = datetime.fromisoformat(text.upper()).timestamp()
        except (ValueError, OverflowError):
            raise wrong from None
        if not _FIRST_S <= seconds < _AFTER_S:
            raise wrong  # In UTC it would be in a year that no calendar here has.
        return cls(seconds)


class Device(Personal, frozen=True, rename="camel"):
    """The device, and the visit it is used for."""

    ip_address: Annotated[
        str | None,
        doc("Address the request came from: the most telling single field.", "203.0.113.1"),
    ] = None
    user_agent: Annotated[
        str | None,
        doc(
            "User-Agent header.",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
            "(KHTML, like Gecko) Chrome/157.0.0.0 Safari/537.36",
        ),
    ] = None
    accept_language: Annotated[str | None, doc("Accept-Language header.", "en-US,en;q=0.9")] = None
    session_id: Annotated[CallerName | None, doc("Your name for the visit.", "s-81f2")] = None
    session_age: Annotated[float | None, doc("How long the visit has lasted, seconds.", 340)] = None
    device_id: Annotated[
        Annotated[str, described(_DEVICE_FORM, pattern=r"^[!-~]{1,128}\Z")] | None,
        doc(
            "Identifier that your page gave the device, the same on every visit.",
            "gd_kqzhxwyvbnrtmsplfjdcgaeoi",
        ),
    ] = None


class Event(CamelStruct):
    """What happened, and when."""

    type: Annotated[EventType | None, doc("`PURCHASE` for a first or only one.", "PURCHASE")] = None
    transaction_id: Annotated[
        CallerName | None,
        doc("Your name for the transaction. The same one is not counted twice.", "t-1001"),
    ] = None
    timestamp: Annotated[EventTime | None, doc("When it happened, RFC 3339. Without it: now.")] = (
        None
    )


class Order(CamelStruct):
    """What is bought, in total, and how the buyer came."""

    amount: Annotated[float | None, doc("Total, in units of the currency.", 59.9)] = None
    currency: Annotated[str | None, doc("ISO 4217 code.", "USD")] = None
    affiliate_id: Annotated[CallerName | None, doc("Who sent the buyer.")] = None
    referral_id: Annotated[CallerName | None, doc("Which referral led here.")] = None
    discount_codes: Annotated[
        Annotated[list[str], Meta(max_length=MOST_DISCOUNT_CODES)] | None,
        doc("Codes that were used."),
    ] = None
    referrer_url: Annotated[
        str | None, doc("Page the buyer came from.", "https://www.example.com/shoes")
    ] = None


class BuyerAccount(Personal, frozen=True, rename="camel"):
    """Who buys, in your own terms."""

    user_id: Annotated[CallerName | None, doc("Your name for the user.", "u-4711")] = None
    username: Annotated[str | None, doc("The name the user chose.", "amelia.whitfield")] = None


class CartItem(CamelStruct, gc=False):
    """One line of the cart."""

    item_id: Annotated[CallerName | None, doc("Your name for the article.")] = None
    category: Annotated[str | None, doc("What kind of article.")] = None
    price: Annotated[float | None, doc("Price of one.")] = None
    quantity: Annotated[float | None, doc("How many.")] = None


class ShoppingCart(CamelStruct):
    """What is bought, line by line."""

    items: Annotated[
        Annotated[list[CartItem], Meta(max_length=MOST_CART_ITEMS)] | None,
        doc("The lines.", [{"itemId": "sku-7", "category": "shoes", "price": 59.9, "quantity": 1}]),
    ] = None


class ShipIndicator(StrEnum):
    """Where goods go, `shipIndicator` of EMV 3-D Secure."""

    BILLING_ADDRESS = "01"
    VERIFIED_ADDRESS = "02"
    NEW_ADDRESS = "03"
    STORE = "04"
    DIGITAL = "05"
    NOT_SHIPPED = "06"
    OTHER = "07"


class DeliveryTimeframe(StrEnum):
    """When goods come, `deliveryTimeframe` of EMV 3-D Secure."""

    ELECTRONIC = "01"
    SAME_DAY = "02"
    OVERNIGHT = "03"
    LATER = "04"


class AuthenticationInputs(CamelStruct):
    """What you know that strong customer authentication depends on; read where it is advised on."""

    initial_reference: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_REFERENCE)] | None,
        doc("Reference of the authenticated payment that a series or a mandate began with."),
    ] = None
    recurring: Annotated[
        bool | None,
        doc("One of a series with the same amount and payee, which the payer started."),
    ] = None
    mail_or_telephone: Annotated[bool | None, doc("Ordered by letter or by phone.")] = None
    trusted_beneficiary: Annotated[
        bool | None, doc("The payer has put you on the issuer's list of trusted payees.")
    ] = None
    secure_corporate: Annotated[
        bool | None, doc("Paid by a company's secure process: a lodged or virtual card.")
    ] = None
    anonymous_card: Annotated[bool | None, doc("A prepaid card without a name.")] = None
    account_created_at: Annotated[EventTime | None, doc("When the buyer's account was made.")] = (
        None
    )
    account_changed_at: Annotated[
        EventTime | None, doc("When the account was last changed: address, card, user.")
    ] = None
    password_changed_at: Annotated[
        EventTime | None, doc("When its password was last changed or reset.")
    ] = None
    ships_to_account_name: Annotated[
        bool | None, doc("The name on the parcel is that of the account.")
    ] = None
    ship_indicator: Annotated[
        ShipIndicator | None,
        doc(
            "`01` billing address, `02` another verified address, `03` another address, `04` "
            "store, `05` digital goods, `06` not shipped, `07` other."
        ),
    ] = None
    delivery_timeframe: Annotated[
        DeliveryTimeframe | None,
        doc("`01` electronic, `02` same day, `03` overnight, `04` two days or more."),
    ] = None
    pre_order_at: Annotated[
        EventTime | None, doc("Of goods that are not available yet: when they will be.")
    ] = None
    gift_cards: Annotated[
        Annotated[int, Meta(ge=0, le=99)] | None, doc("How many gift cards are bought.")
    ] = None
    gift_card_amount: Annotated[
        float | None, doc("What they come to, in units of the order's currency.")
    ] = None


class SentryRequest(Checked, Personal, frozen=True, rename="camel"):
    """What is known about a request; every group can be left out."""

    device: Annotated[Device | None, doc("Device and visit.")] = None
    event: Annotated[Event | None, doc("What happened.")] = None
    order: Annotated[Order | None, doc("The order.")] = None
    account: Annotated[BuyerAccount | None, doc("The buyer.")] = None
    shopping_cart: Annotated[ShoppingCart | None, doc("The cart.")] = None
    custom_inputs: Annotated[
        CustomInputs | None,
        doc(
            "Anything else you know; no value may be null.",
            {"timezone": "America/New_York", "returning": False},
        ),
    ] = None
    client_reference_id: ClientReferenceField = None
    authentication: Annotated[
        AuthenticationInputs | None,
        doc("For advice on strong customer authentication, where the account asks for it."),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        return custom_problems(self.custom_inputs)
