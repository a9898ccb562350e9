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

    ADDRESS = "ADDRESS"
    DEVICE = "DEVICE"
    ACCOUNT = "ACCOUNT"
    SHIPPING = "SHIPPING"


_TECHNICAL: Final = frozenset((SharedElement.ADDRESS, SharedElement.DEVICE))


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
    """Whether it is known what was sold."""


class MissingEvidence(StrEnum):
    """Why an order is no evidence."""

    NOT_VISA_FRAUD = "NOT_VISA_FRAUD"
    NO_EARLIER_ORDERS = "NO_EARLIER_ORDERS"
    ONE_EARLIER_ORDER = "ONE_EARLIER_ORDER"
    NOT_SETTLED = "NOT_SETTLED"
    NOTHING_IN_COMMON = "NOTHING_IN_COMMON"
    NO_ADDRESS_OR_DEVICE = "NO_ADDRESS_OR_DEVICE"
    ONE_ELEMENT = "ONE_ELEMENT"
    NO_DESCRIPTION = "NO_DESCRIPTION"


class CompellingEvidence(msgspec.Struct, frozen=True):
    """What was found for a disputed order."""

    qualified: bool
    pair: tuple[str, str] | None = None
    """The two earlier orders, the older one first."""
    matched: tuple[SharedElement, ...] = ()
    """What all three have in common; of the nearest pair where none is enough."""
    missing: tuple[MissingEvidence, ...] = ()
    send: tuple[SharedElement, ...] = ()
    """What the disputed order did not tell, and what would have helped."""


def qualify(
    disputed: EvidenceOrder, others: Iterable[EvidenceOrder], *, reason: str = REASON
) -> CompellingEvidence:
    """Find the best pair of earlier orders: most in common, then the oldest."""
    send = tuple(each for each in SharedElement if each not in disputed.elements)
    if reason != REASON:
        return CompellingEvidence(False, missing=(MissingEvidence.NOT_VISA_FRAUD,), send=send)
    in_time = [each for each in others if _in_time(disputed, each)]
    usable = [each for each in in_time if each.settled]
    if len(usable) < FEWEST_EQUAL:
        return CompellingEvidence(False, missing=(_too_few(in_time, usable),), send=send)
    first, second, shared = _best_pair(disputed, usable)
    missing = _missing(shared, (disputed, first, second))
    pair = (first.request_id, second.request_id)
    return CompellingEvidence(not missing, pair, shared, missing, send)


def _in_time(disputed: EvidenceOrder, other: EvidenceOrder) -> bool:
    age = disputed.day - other.day
    return (
        other.card == disputed.card
        and LATEST_DAYS <= age <= EARLIEST_DAYS
        and not other.disputed
        and other.amount_micros > 0
    )


def _too_few(in_time: Sequence[EvidenceOrder], usable: Sequence[EvidenceOrder]) -> MissingEvidence:
    if len(in_time) >= FEWEST_EQUAL:
        return MissingEvidence.NOT_SETTLED
    return (
        MissingEvidence.ONE_EARLIER_ORDER
        if usable or in_time
        else MissingEvidence.NO_EARLIER_ORDERS
    )


def _shared(disputed: EvidenceOrder, *others: EvidenceOrder) -> tuple[SharedElement, ...]:
    return tuple(
        each
        for each, value in sorted(disputed.elements.items())
        if all(other.elements.get(each) == value for other in others)
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
        groups.setdefault(_shared(disputed, order), []).append(order)
    few = {
        each.request_id: each
        for group in groups.values()
        for each in (*group[:2], *[one for one in group if one.described][:2])
    }
    pairs = combinations(sorted(few.values(), key=_age), 2)
    first, second = max(pairs, key=lambda pair: _rank(disputed, *pair))
    return first, second, _shared(disputed, first, second)


def _rank(
    disputed: EvidenceOrder, first: EvidenceOrder, second: EvidenceOrder
) -> tuple[int, bool, int, int]:
    shared = _shared(disputed, first, second)
    return _worth(shared), first.described and second.described, -first.day, -second.day


def _age(order: EvidenceOrder) -> tuple[int, str]:
    return order.day, order.request_id


def _worth(shared: Sequence[SharedElement]) -> int:
    """More in common is better; nothing is enough without an address or a device."""
    return len(shared) + (10 if _TECHNICAL.intersection(shared) else 0)


def _missing(
    shared: Sequence[SharedElement], orders: Sequence[EvidenceOrder]
) -> tuple[MissingEvidence, ...]:
    found = []
    if not shared:
        found.append(MissingEvidence.NOTHING_IN_COMMON)
    elif not _TECHNICAL.intersection(shared):
        found.append(MissingEvidence.NO_ADDRESS_OR_DEVICE)
    elif len(shared) < FEWEST_EQUAL:
        found.append(MissingEvidence.ONE_ELEMENT)
    if not all(each.described for each in orders):
        found.append(MissingEvidence.NO_DESCRIPTION)
    return tuple(found)
