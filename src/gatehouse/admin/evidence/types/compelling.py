"""Compelling Evidence 3.0: whether earlier orders show that a disputed one is the cardholder's.

The issuer of a Visa card takes a dispute for fraud back when two earlier orders on the same card,
which nobody disputed, share two things with the disputed one, of which one is the address on the
internet or the device. This is a pure function over what is recorded. Where no pair is found, it
says what was missing, and what to send in future.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final

import msgspec

DAY_MS: Final = 86_400_000
EARLIEST_DAYS: Final = 365
LATEST_DAYS: Final = 120
FEWEST_EQUAL: Final = 2
REASON: Final = "10.4"


class SharedElement(StrEnum):
    """What two orders can have in common."""

    IP_ADDRESS = "IP_ADDRESS"
    DEVICE = "DEVICE"
    ACCOUNT = "ACCOUNT"
    SHIPPING_ADDRESS = "SHIPPING_ADDRESS"


TECHNICAL: Final = frozenset((SharedElement.IP_ADDRESS, SharedElement.DEVICE))
"""One of these must be among what is equal."""


class EvidenceOrder(msgspec.Struct, frozen=True):
    """An order as its record tells it; each element is what is kept of it, never the value."""

    request_id: str
    card: str
    """The account's fingerprint of the card."""
    day: int
    """Days since 1970 on which it was processed."""
    elements: dict[SharedElement, str]
    settled: bool = True
    disputed: bool = False
    """Whether it was disputed, or reported as fraud."""
    amount_micros: int = 1
    described: bool = True
    """Whether it is known what was sold; an order of which it is known is preferred."""


class MissingEvidence(StrEnum):
    """Why there is no evidence."""

    NOT_VISA_FRAUD = "NOT_VISA_FRAUD"
    NO_CARD = "NO_CARD"
    NO_EARLIER_ORDERS = "NO_EARLIER_ORDERS"
    ONE_EARLIER_ORDER = "ONE_EARLIER_ORDER"
    NOT_SETTLED = "NOT_SETTLED"
    NOTHING_IN_COMMON = "NOTHING_IN_COMMON"
    NO_IP_ADDRESS_OR_DEVICE = "NO_IP_ADDRESS_OR_DEVICE"
    ONE_ELEMENT = "ONE_ELEMENT"


class CompellingEvidence(msgspec.Struct, frozen=True):
    """What was found for a disputed order."""

    qualified: bool
    pair: tuple[str, str] | None = None
    """The two earlier orders, the older one first."""
    matched: tuple[SharedElement, ...] = ()
    """What all three have in common; of the nearest pair where none is enough."""
    missing: MissingEvidence | None = None
    send: tuple[SharedElement, ...] = ()
    """What the disputed order or the earlier ones did not tell, and what would have helped."""
    usable: int = 0
    """How many earlier orders are in time, settled and undisputed."""
    waiting: int = 0
    """How many would be if they were known to be settled."""


def qualify(
    disputed: EvidenceOrder, others: Iterable[EvidenceOrder], *, reason: str = REASON
) -> CompellingEvidence:
    """Find the best pair of earlier orders: most in common, then the oldest."""
    in_time = [each for each in others if _in_time(disputed, each)]
    usable = [each for each in in_time if each.settled]
    counts = len(usable), len(in_time) - len(usable)
    send = _untold(disputed, usable)
    if reason != REASON:
        return CompellingEvidence(False, None, (), MissingEvidence.NOT_VISA_FRAUD, send, *counts)
    if len(usable) < FEWEST_EQUAL:
        return CompellingEvidence(False, None, (), _too_few(*counts), send, *counts)
    first, second, shared = _best_pair(disputed, usable)
    missing = _missing(shared)
    pair = (first.request_id, second.request_id)
    return CompellingEvidence(missing is None, pair, shared, missing, send, *counts)


def _in_time(disputed: EvidenceOrder, other: EvidenceOrder) -> bool:
    age = disputed.day - other.day
    return (
        other.card == disputed.card
        and LATEST_DAYS <= age <= EARLIEST_DAYS
        and not other.disputed
        and other.amount_micros > 0
    )


def _untold(disputed: EvidenceOrder, usable: Sequence[EvidenceOrder]) -> tuple[SharedElement, ...]:
    """What the disputed order did not tell, or too few of the earlier ones."""
    return tuple(
        each
        for each in SharedElement
        if each not in disputed.elements
        or len(usable) >= FEWEST_EQUAL > sum(each in one.elements for one in usable)
    )


def _too_few(usable: int, waiting: int) -> MissingEvidence:
    if usable + waiting >= FEWEST_EQUAL:
        return MissingEvidence.NOT_SETTLED
    return (
        MissingEvidence.ONE_EARLIER_ORDER if usable + waiting else MissingEvidence.NO_EARLIER_ORDERS
    )


def shared_by(disputed: EvidenceOrder, *others: EvidenceOrder) -> tuple[SharedElement, ...]:
    """What an order has in common with all of some others."""
    return tuple(
        each
        for each in SharedElement
        if each in disputed.elements
        and all(other.elements.get(each) == disputed.elements[each] for other in others)
    )


def _best_pair(
    disputed: EvidenceOrder, usable: Sequence[EvidenceOrder]
) -> tuple[EvidenceOrder, EvidenceOrder, tuple[SharedElement, ...]]:
    """The best of all pairs.

    Orders that share the same with the disputed one differ in two things only: whether they are
    described, and how old they are. So of each such group the first few are enough.
    """
    groups: dict[tuple[SharedElement, ...], list[EvidenceOrder]] = {}
    for order in sorted(usable, key=_age):
        groups.setdefault(shared_by(disputed, order), []).append(order)
    few = {
        each.request_id: each
        for group in groups.values()
        for each in (*group[:2], *[one for one in group if one.described][:2])
    }
    pairs = combinations(sorted(few.values(), key=_age), 2)
    first, second = max(pairs, key=lambda pair: _rank(disputed, *pair))
    return first, second, shared_by(disputed, first, second)


def _rank(
    disputed: EvidenceOrder, first: EvidenceOrder, second: EvidenceOrder
) -> tuple[int, bool, int, int]:
    shared = shared_by(disputed, first, second)
    return _worth(shared), first.described and second.described, -first.day, -second.day


def _age(order: EvidenceOrder) -> tuple[int, str]:
    return order.day, order.request_id


def _worth(shared: Sequence[SharedElement]) -> int:
    """More in common is better; nothing is enough without an IP address or a device."""
    return len(shared) + (10 if TECHNICAL.intersection(shared) else 0)


def _missing(shared: Sequence[SharedElement]) -> MissingEvidence | None:
    if not shared:
        return MissingEvidence.NOTHING_IN_COMMON
    if not TECHNICAL.intersection(shared):
        return MissingEvidence.NO_IP_ADDRESS_OR_DEVICE
    return MissingEvidence.ONE_ELEMENT if len(shared) < FEWEST_EQUAL else None
