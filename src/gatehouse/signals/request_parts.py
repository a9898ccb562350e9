"""Brings the inputs of a request's stages together: all of them describe one purchase."""

import msgspec

from gatehouse.core.cards.numbers import CardOfRequest
from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.rules.request import RulesRequest
from gatehouse.sentry.request import BuyerAccount, Device, Order, SentryRequest

_NOTHING_FOR_SENTRY = SentryRequest()
_NO_DEVICE = Device()
_NO_ORDER = Order()
_NO_ACCOUNT = BuyerAccount()
_NOTHING = frozenset((None,))


class SignalInput(msgspec.Struct, frozen=True):
    """Everything that signals are made of, each value from the input that knows it best."""

    rules: RulesRequest
    sentry: SentryRequest
    """As it was sent, completed with what other inputs say."""
    amount: float | None
    currency: str | None
    email: str | None
    phone: str | None
    user_id: str | int | None
    cards_differ: bool | None = None
    """Whether the inputs speak of several cards; None without any."""
    amounts_differ: bool | None = None
    """Whether the inputs tell several amounts, or several currencies; None without any."""
    three_d_secure: ThreeDSecure | None = None

    @property
    def other_address(self) -> str | None:
        """The address in the Rules input, if the Sentry input has another one."""
        address = self.rules.customer_ip
        device = self.sentry.device
        return None if device is not None and device.ip_address == address else address


class RequestParts(msgspec.Struct, frozen=True):
    """What a request brought, as far as signals are made of it."""

    rules: RulesRequest
    sentry: SentryRequest | None = None
    payment: tuple[float, str] | None = None
    """What will be charged."""
    email: str | None = None
    phone: str | None = None
    cards: tuple[CardOfRequest, ...] = ()
    """All cards that the inputs speak of."""
    three_d_secure: ThreeDSecure | None = None


def bring_together(parts: RequestParts) -> SignalInput:
    """One description of the purchase. What will be charged beats what was said about it."""
    rules, sentry = parts.rules, parts.sentry or _NOTHING_FOR_SENTRY
    order, account = sentry.order or _NO_ORDER, sentry.account or _NO_ACCOUNT
    amount, currency = parts.payment or (None, None)
    if amount is None:
        amount = order.amount if rules.amount is None else rules.amount
        currency = order.currency if rules.currency is None else rules.currency
    cards = parts.cards
    return SignalInput(
        rules=rules,
        sentry=_completed(parts, amount, currency),
        amount=amount,
        currency=currency,
        email=parts.email if rules.email is None else rules.email,
        phone=parts.phone if rules.phone is None else rules.phone,
        # Rules must speak of the same user that the memory counts.
        user_id=rules.user_id if account.user_id is None else account.user_id,
        cards_differ=any(not each.is_same_account(cards[0]) for each in cards[1:])
        if cards
        else None,
        amounts_differ=_amounts_differ(rules, order, parts.payment),
        three_d_secure=parts.three_d_secure,
    )


def _amounts_differ(
    rules: RulesRequest, order: Order, payment: tuple[float, str] | None
) -> bool | None:
    charged, in_currency = payment or (None, None)
    amounts = {charged, order.amount, rules.amount} - _NOTHING
    currencies = {in_currency, _plain(order.currency), _plain(rules.currency)} - _NOTHING
    if not amounts and not currencies:
        return None
    return len(amounts) > 1 or len(currencies) > 1


def _plain(currency: str | None) -> str | None:
    return None if currency is None else currency.strip().upper()[:8]


def _completed(parts: RequestParts, amount: float | None, currency: str | None) -> SentryRequest:
    """Sentry's input, completed from the other inputs; the amount charged replaces its own."""
    rules, sentry = parts.rules, parts.sentry or _NOTHING_FOR_SENTRY
    charged = parts.payment is not None
    more: dict[str, msgspec.Struct] = {}
    device = sentry.device or _NO_DEVICE
    if device.ip_address is None and rules.customer_ip is not None:
        more["device"] = msgspec.structs.replace(device, ip_address=rules.customer_ip)
    order = sentry.order or _NO_ORDER
    if amount is not None and (charged or order.amount is None) and amount != order.amount:
        more["order"] = msgspec.structs.replace(order, amount=amount, currency=currency)
    account = sentry.account or _NO_ACCOUNT
    if account.user_id is None and rules.user_id is not None:
        more["account"] = msgspec.structs.replace(account, user_id=rules.user_id)
    return msgspec.structs.replace(sentry, **more) if more else sentry
