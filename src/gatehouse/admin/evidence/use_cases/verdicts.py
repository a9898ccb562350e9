"""Says in a sentence what was found for a disputed order, and what to send in future."""

from collections.abc import Mapping, Sequence
from typing import Final

from gatehouse.admin.evidence.types.compelling import (
    EARLIEST_DAYS,
    LATEST_DAYS,
    CompellingEvidence,
    MissingEvidence,
    SharedElement,
)
from gatehouse.core.wording.sentences import Phrase, listed, phrases_of

_ELEMENTS: Final = phrases_of(
    "evidence.element",
    {
        "IP_ADDRESS": "IP address",
        "DEVICE": "device",
        "ACCOUNT": "customer account",
        "SHIPPING_ADDRESS": "shipping address",
    },
)
FIELDS: Final = {
    SharedElement.IP_ADDRESS: "device.ipAddress",
    SharedElement.DEVICE: "device.deviceId",
    SharedElement.ACCOUNT: "account.userId",
    SharedElement.SHIPPING_ADDRESS: "customInputs.shippingAddress",
}
"""Where a request tells each element."""
_QUALIFIED: Final = Phrase(
    "evidence.qualified",
    "two earlier orders that nobody disputed match by {elements}: this is Compelling Evidence 3.0 "
    "by days counted to {days}",
)
_DAYS: Final = phrases_of(
    "evidence.counting", {"TRANSACTION": "the disputed transaction", "DISPUTE": "the dispute"}
)
_MISSING: Final = phrases_of(
    "evidence.missing",
    {
        "NOT_VISA_FRAUD": "Compelling Evidence 3.0 is for Visa disputes with reason 10.4",
        "NO_CARD": "the request named no card, so earlier orders cannot be found",
        "NO_EARLIER_ORDERS": "there is no undisputed order with this card {latest} to {earliest} "
        "days before",
        "ONE_EARLIER_ORDER": "there is one undisputed order with this card {latest} to {earliest} "
        "days before, and two are needed",
        "NOT_SETTLED": "earlier orders with this card are not known to be settled ({count}): tell "
        "settlements as outcomes",
        "OTHER_MERCHANT": "earlier orders with this card were settled under other merchant ids "
        "({count}), and two of one merchant are needed",
        "NOTHING_IN_COMMON": "earlier orders with this card share nothing with this one",
        "NO_IP_ADDRESS_OR_DEVICE": "two earlier orders match by {elements}, none by IP address or "
        "device",
        "ONE_ELEMENT": "two earlier orders match by {elements} alone, and two elements are needed",
    },
)
_SEND: Final = Phrase(
    "evidence.send", "send {fields} with every request, so that later orders can match by it"
)
_SPAN: Final = {"latest": LATEST_DAYS, "earliest": EARLIEST_DAYS}


def element_names(elements: Sequence[SharedElement]) -> str:
    """Elements as people call them."""
    return listed([_ELEMENTS[each.value]() for each in elements]) if elements else ""


def summary_of(found: CompellingEvidence) -> str:
    """What was found, in a sentence."""
    matched: Mapping[str, object] = {"elements": element_names(found.matched)}
    if found.missing is None:
        return _QUALIFIED(**matched, days=listed([_DAYS[each]() for each in found.countings]))
    values: dict[MissingEvidence, Mapping[str, object]] = {
        MissingEvidence.NO_EARLIER_ORDERS: _SPAN,
        MissingEvidence.ONE_EARLIER_ORDER: _SPAN,
        MissingEvidence.NOT_SETTLED: {"count": found.waiting},
        MissingEvidence.OTHER_MERCHANT: {"count": found.elsewhere},
        MissingEvidence.NO_IP_ADDRESS_OR_DEVICE: matched,
        MissingEvidence.ONE_ELEMENT: matched,
    }
    return _MISSING[found.missing.value](**values.get(found.missing, {}))


def advice_of(found: CompellingEvidence) -> str | None:
    """What to send in future; None when everything was told."""
    fields = [FIELDS[each] for each in found.send]
    return _SEND(fields=listed(fields)) if fields else None
