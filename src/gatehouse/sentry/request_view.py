"""A view of one request: everything that several features need is worked out once.

Freeman's likelihood ratio: how unlike its user an event is.

The model of Freeman et al. (NDSS 2016): for each feature, how common its value is among everybody
over how common it is for this user, times how rarely this user comes. An address that is new counts
less when its operator or country is known, a new user agent less when its browser or system is.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from gatehouse.core.cards.numbers import MaskedCard
from gatehouse.core.cards.redaction import is_card_like
from gatehouse.intel.addresses import Address, read_address
from gatehouse.intel.agents.agents import Agent, read_agent
from gatehouse.intel.languages import Languages, fit, read_languages
from gatehouse.intel.networks import AddressBook, AddressFacts
from gatehouse.intel.places import minor_digits
from gatehouse.sentry import kinds
from gatehouse.sentry.carts import Cart, read_cart
from gatehouse.sentry.memory.memory import DAY_S, EntityKind
from gatehouse.sentry.memory.recalled import EntityView, History
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.request import (
    BuyerAccount,
    CartItem,
    Device,
    Event,
    EventType,
    Order,
    SentryRequest,
)

LEAST_EVENTS: Final = 3
"""A user who was seen less often has no habits yet."""

_FEATURES: Final = (
    ((kinds.ADDRESS, 0.6), (kinds.OPERATOR, 0.3), (kinds.COUNTRY, 0.1)),
    ((kinds.AGENT, 0.54), (kinds.BROWSER, 0.27), (kinds.SYSTEM, 0.19)),
)
_UNSEEN: Final = 0.25
"""A value the user never had is this much as likely for them as for anybody."""


def log_ratio(history: History) -> float | None:
    """The logarithm of the ratio, above zero for what is unlike the user; None for strangers."""
    user = history.of(kinds.USER)
    itself = 1 if history.counted else 0
    if user is None or user.events - itself < LEAST_EVENTS:
        return None
    own = user.events - itself
    # The user's history can be some events ahead of the account's total, which was read before it.
    everyone = max(history.events - itself, own)
    total, compared = 0.0, False
    for feature in _FEATURES:
        common = usual = 0.0
        for kind, weight in feature:
            times = history.popularity(kind)
            if not times:
                continue
            # One more of each, so that a value without any earlier event is not impossible.
            among_all = (times - itself + 1) / (everyone + 1)
            with_user = user.times_with(kind) - itself
            common += weight * among_all
            usual += weight * (with_user / own if with_user > 0 else among_all * _UNSEEN)
        if usual > 0:
            total += math.log(common / usual)
            compared = True
    return total + math.log(everyone / (max(history.users, 1) * own)) if compared else None


# A clock may run a little ahead, and an order may reach us days after it was made; beyond that a
# timestamp says more about the caller's clock than about the event.
EARLIEST_S: Final = 7 * DAY_S
LATEST_S: Final = 300
HABIT_AMOUNTS: Final = 3
"""A user who has paid less often has no habit of spending yet."""
TRUST_DAYS: Final = 7
"""For so long a user must have been known before habits speak for an order in full."""

_RECURRING_PURCHASE: Final = EventType.RECURRING_PURCHASE
_NO_DEVICE: Final = Device()
_NO_EVENT: Final = Event()
_NO_ORDER: Final = Order()
_NO_ACCOUNT: Final = BuyerAccount()
_NO_FACTS: Final = AddressFacts()


class Spending(NamedTuple):
    """What a user spent before, in the order's currency."""

    median: float
    largest: float
    usual: float
    """The mean of the logarithms."""
    deviation: float
    """Their standard deviation."""


class RequestView(msgspec.Struct):
    """One request as the features see it. A group that was not sent is empty."""

    request: SentryRequest
    at_s: float
    """When the event happened, as far as that can be believed."""
    day: int
    time_is_plausible: bool
    is_renewal: bool
    """Whether the merchant started it: then address, device and pace are the merchant's own."""
    device: Device
    event: Event
    order: Order
    account: BuyerAccount
    user_id: str | int | None
    """None for a placeholder such as "unknown"."""
    username: str | int | None
    """The same of the name the user chose."""
    amount: float | None
    """The order's amount when it is one that could be paid, and not a card number."""
    items: list[CartItem] | None
    cart: Cart | None
    """What the lines come to; None without any line."""
    address: Address | None
    """None without an address, and when it cannot be read."""
    facts: AddressFacts
    """What is known of a public address; nothing of any other."""
    country: str | None
    """The buyer's country: that of the address, unless it hides the buyer or is the merchant's own.
    """
    agent: Agent | None
    languages: Languages | None
    language_fit: float | None
    """How well the languages fit the buyer's country, 0 to 1; None when that cannot be said."""
    currency: str | None
    """In capitals."""
    currency_digits: int | None
    """How many decimals the currency has; None when there is no such currency."""
    card: MaskedCard | None
    history: History | None = None
    """Set once the memory has been asked."""
    request_id: str = ""
    is_trial: bool = False
    """Whether it comes with a test card of the sandbox."""
    transaction: str | None = None
    """The transaction's id as it may be kept, once the entities are known; None without one."""
    own_inputs: int = 0
    """How many of the first custom inputs among the entities should belong to one person each."""
    habit: Spending | UnsetType | None = UNSET
    """The same as `spending`, once somebody has asked for it."""
    earned: float = -1.0
    """The same as `trust`, once somebody has asked for it."""

    @property
    def has_public_address(self) -> bool:
        """Whether it is an address of the public internet; the sandbox makes a few such."""
        return self.address is not None and (
            self.address.is_public or self.facts.country is not None
        )

    def recall(self, kind: EntityKind) -> EntityView | None:
        """The history of the request's entity of a kind, if there is one."""
        return None if self.history is None else self.history.of(kind)

    @property
    def unlikeness(self) -> float | None:
        """How unlike its user the event looks; None for strangers."""
        comparable = self.address is not None or self.agent is not None
        return log_ratio(self.history) if comparable and self.history is not None else None

    @property
    def spending(self) -> Spending | None:
        """What the user usually spends; None without a habit."""
        if self.habit is UNSET:
            user = self.recall(kinds.USER)
            self.habit = None if user is None else _habit(user.usual_amounts())
        return self.habit

    @property
    def trust(self) -> float:
        """How far the user's habits speak for an order, 0 to 1.

        A thief repeats an order within minutes, so trust grows with the days that the user has been
        known for. With a known fraud it is lost, except on a device of the user's that had none:
        accounts are given back to their owners.
        """
        if self.earned < 0:
            self.earned = 0.0
            history, user = self.history, self.recall(kinds.USER)
            if history is not None and user is not None and not _is_lost(history, user):
                known_days = (self.at_s - user.first_s) / DAY_S
                self.earned = min(max(known_days, 0.0) / TRUST_DAYS, 1.0)
        return self.earned


def view_request(
    request: SentryRequest, received_s: float, book: AddressBook, card: MaskedCard | None
) -> RequestView:
    """Read the request, and look up its address, user agent and currency."""
    device = request.device or _NO_DEVICE
    event = request.event or _NO_EVENT
    order = request.order or _NO_ORDER
    at_s, plausible = _event_time(event, received_s)
    day = int(at_s // DAY_S)
    address = None if device.ip_address is None else read_address(device.ip_address)
    # Feeds age from now on, also for an event of an earlier day.
    today = int(received_s // DAY_S)
    facts = book.look(address, today) if address is not None else _NO_FACTS
    account = request.account or _NO_ACCOUNT
    is_renewal = event.type is _RECURRING_PURCHASE
    country = None if is_renewal or _hides(facts) else facts.country
    languages = None if device.accept_language is None else read_languages(device.accept_language)
    currency = None if order.currency is None else order.currency.strip().upper()[:8]
    amount = order.amount
    items = None if request.shopping_cart is None else request.shopping_cart.items
    return RequestView(
        request=request,
        at_s=at_s,
        day=day,
        time_is_plausible=plausible,
        is_renewal=is_renewal,
        device=device,
        event=event,
        order=order,
        account=account,
        user_id=drop_placeholder(account.user_id),
        username=drop_placeholder(account.username),
        amount=amount if amount is not None and _can_be_kept(amount) else None,
        items=items,
        cart=read_cart(items, currency) if items else None,
        address=address,
        facts=facts,
        country=country,
        agent=None if device.user_agent is None else read_agent(device.user_agent),
        languages=languages,
        language_fit=_fit(languages, country) if languages is not None and country else None,
        currency=currency,
        currency_digits=None if currency is None else minor_digits(currency),
        card=card,
    )


def _is_lost(history: History, user: EntityView) -> bool:
    if not history.has_fraud(kinds.USER):
        return False
    return user.times_with(kinds.DEVICE_ID) <= 1 or history.has_fraud(kinds.DEVICE_ID)


# Most people of a country send the same few headers.
_fit: Final = lru_cache(maxsize=4096)(fit)


def _hides(facts: AddressFacts) -> bool:
    """Whether the address says where a server is, not where the buyer is.

    A privacy relay does not count: those that are known let people out in their own country.
    """
    if facts.allowed or facts.relay:
        return False
    return bool(facts.tor or facts.vpn or facts.proxy or facts.hosting)


def _event_time(event: Event, received_s: float) -> tuple[float, bool]:
    if event.timestamp is None:
        return received_s, True
    at_s = event.timestamp.seconds
    if received_s - EARLIEST_S <= at_s <= received_s + LATEST_S:
        return at_s, True
    return received_s, False


def _can_be_kept(amount: float) -> bool:
    return 0 < amount < math.inf and not is_card_like(amount)


def _habit(logarithms: Sequence[float]) -> Spending | None:
    if len(logarithms) < HABIT_AMOUNTS:
        return None
    ordered = sorted(logarithms)
    number = len(ordered)
    usual = sum(ordered) / number
    squares = sum(map(mul, ordered, ordered)) / number - usual * usual
    deviation = math.sqrt(squares) if squares > 0 else 0.0
    return Spending(math.exp(ordered[number // 2]), math.exp(ordered[-1]), usual, deviation)
