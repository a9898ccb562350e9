"""What stays readable of an order, for accounts that want evidence kept."""

from typing import Any, Final

from gatehouse.access.accounts import Account
from gatehouse.core.stages.case import ValuesByType
from gatehouse.decisions.order_envelope import (
    LONGEST_DESCRIPTION,
    OrderEnvelope,
    kept_shipping,
    kept_text,
)
from gatehouse.sentry.request import CartItem, EventType, SentryRequest
from gatehouse.signals.request_parts import SignalInput

POLICY: Final = "evidence"
"""The name of the account's choice among its policies."""
_SHIPPING: Final = "shippingAddress"
_PRODUCT: Final = "productDescription"
_MOST_ITEMS: Final = 10


def keeps_evidence(account: Account) -> bool:
    """Whether the account wants evidence kept; nearly all have no such policy."""
    return POLICY in account.policies and account.policies[POLICY].get("keep") is True


def envelope_of(inputs: ValuesByType) -> OrderEnvelope | None:
    """What stays readable of a request; None when there is nothing.

    The merchant starts a renewal, so its IP address and device are not the customer's.
    """
    given = inputs.find(SignalInput)
    if given is None:
        return None
    sentry, rules = given.sentry, given.rules
    own: dict[str, Any] = {**(sentry.custom_inputs or {}), **(rules.custom_inputs or {})}
    device = None if _is_renewal(sentry) else sentry.device
    envelope = OrderEnvelope(
        ip_address=None if device is None else kept_text(rules.customer_ip or device.ip_address),
        device_id=None if device is None else kept_text(device.device_id),
        user_id=kept_text(given.user_id),
        email=kept_text(given.email),
        shipping=kept_shipping(own.get(_SHIPPING)),
        product=kept_text(own.get(_PRODUCT), LONGEST_DESCRIPTION) or _sold(sentry),
    )
    return None if envelope.is_empty else envelope


def _is_renewal(sentry: SentryRequest) -> bool:
    return sentry.event is not None and sentry.event.type is EventType.RECURRING_PURCHASE


def _sold(sentry: SentryRequest) -> str | None:
    """The cart in words."""
    cart = sentry.shopping_cart
    lines = [_line(each) for each in (cart.items or () if cart else ())[:_MOST_ITEMS]]
    return kept_text("; ".join(line for line in lines if line), LONGEST_DESCRIPTION)


def _line(item: CartItem) -> str:
    named = " ".join(str(part) for part in (item.category, item.item_id) if part)
    times = "" if item.quantity in (None, 1) else f"{item.quantity:g} x "
    return f"{times}{named}" if named else ""
