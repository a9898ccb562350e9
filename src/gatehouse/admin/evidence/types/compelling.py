"""Compelling Evidence 3.0: whether earlier orders show that a disputed one is the cardholder's.

The issuer of a Visa card takes a dispute for fraud back when two earlier orders on the same card,
which nobody disputed, share two things with the disputed one, of which one is the address on the
internet or the device. This is a pure function over what is recorded. Where no pair is found, it
says what was missing, and what to send in future.
"""

from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final

import msgspec

DAY_MS: Final = 86_400_000
EARLIEST_DAYS: Final = 365
LATEST_DAYS: Final = 120
SAFEST_DAYS: Final = 364
"""Providers take no order that is older."""
FEWEST_EQUAL: Final = 2
REASON: Final = "10.4"


class SharedElement(StrEnum):
    """What two orders can have in common."""

    IP_ADDRESS = "IP_ADDRESS"
    DEVICE = "DEVICE"
    ACCOUNT = "ACCOUNT"
    SHIPPING_ADDRESS = "SHIPPING_ADDRESS"


class DayCounting(StrEnum):
    """To which day the days since an earlier order are counted: sources differ."""

    TRANSACTION = "TRANSACTION"
    """The disputed transaction."""
    DISPUTE = "DISPUTE"


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
    """Whether anybody doubted it: disputed, asked, warned or reported as fraud."""
    merchant_id: str | None = None
    """Under which it was settled, if that is known."""
    dispute_day: int | None = None
    """Of the disputed order: the day on which it was disputed."""
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
    OTHER_MERCHANT = "OTHER_MERCHANT"
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
    elsewhere: int = 0
    """How many would be if they were not settled under another merchant id."""
    countings: tuple[DayCounting, ...] = ()
    """By which ways of counting days the pair is in time."""


def qualify(
    disputed: EvidenceOrder, others: Iterable[EvidenceOrder], *, reason: str = REASON
) -> CompellingEvidence:
    """Find the best pair of earlier orders: in time by most ways of counting, then most in common.

    Of equal ones, the one that is furthest from being too new or too old.
    """
    in_time = [each for each in others if _in_time(disputed, each)]
    here = [each for each in in_time if _same_merchant(disputed, each)]
    usable = [each for each in here if each.settled]
    found = CompellingEvidence(
        qualified=False,
        send=_untold(disputed, usable),
        usable=len(usable),
        waiting=len(here) - len(usable),
        elsewhere=len(in_time) - len(here),
    )
    if reason != REASON:
        return msgspec.structs.replace(found, missing=MissingEvidence.NOT_VISA_FRAUD)
    pair = _best_pair(disputed, usable)
    if pair is None:
        return msgspec.structs.replace(found, missing=_too_few(found))
    shared = shared_by(disputed, *pair)
    missing = _missing(shared)
    return msgspec.structs.replace(
        found,
        qualified=missing is None,
        pair=(pair[0].request_id, pair[1].request_id),
        matched=shared,
        missing=missing,
        countings=countings(disputed, *pair),
    )


def countings(disputed: EvidenceOrder, *others: EvidenceOrder) -> tuple[DayCounting, ...]:
    """By which ways of counting days all of some others are in time."""
    return tuple(
        each
        for each in DayCounting
        if all(LATEST_DAYS <= age <= EARLIEST_DAYS for age in _ages(each, disputed, others))
    )


def _ages(
    counting: DayCounting, disputed: EvidenceOrder, others: Sequence[EvidenceOrder]
) -> list[int]:
    day = disputed.day if counting is DayCounting.TRANSACTION else disputed.dispute_day
    return [-1 if day is None else day - each.day for each in others]


def _in_time(disputed: EvidenceOrder, other: EvidenceOrder) -> bool:
    return (
        other.card == disputed.card
        and other.day < disputed.day
        and not other.disputed
        and other.amount_micros > 0
        and bool(countings(disputed, other))
    )


def _same_merchant(*orders: EvidenceOrder) -> bool:
    """Whether orders can be of one merchant: none is known to be settled under another id."""
    return len({each.merchant_id for each in orders} - {None}) <= 1


def _untold(disputed: EvidenceOrder, usable: Sequence[EvidenceOrder]) -> tuple[SharedElement, ...]:
    """What the disputed order did not tell, or too few of the earlier ones."""
    return tuple(
        each
        for each in SharedElement
        if each not in disputed.elements
        or len(usable) >= FEWEST_EQUAL > sum(each in one.elements for one in usable)
    )


def _too_few(found: CompellingEvidence) -> MissingEvidence:
    known = found.usable + found.waiting
    if known >= FEWEST_EQUAL and found.waiting:
        return MissingEvidence.NOT_SETTLED
    if known + found.elsewhere >= FEWEST_EQUAL:
        return MissingEvidence.OTHER_MERCHANT
    return MissingEvidence.ONE_EARLIER_ORDER if known else MissingEvidence.NO_EARLIER_ORDERS


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
) -> tuple[EvidenceOrder, EvidenceOrder] | None:
    """The best of all pairs of one merchant that are in time by one way of counting.

    Orders that are alike in all but their age differ in how far they are from being too new or too
    old. So of each such group the first few are enough.
    """
    groups: dict[tuple[Hashable, tuple[DayCounting, ...]], list[EvidenceOrder]] = {}
    for order in sorted(usable, key=_age):
        alike = shared_by(disputed, order), order.described, order.merchant_id
        in_time = countings(disputed, order)
        for each in {in_time, *((one,) for one in in_time)}:
            groups.setdefault((alike, each), []).append(order)
    few = {
        each.request_id: each
        for (_, ways), group in groups.items()
        for each in sorted(group, key=lambda one: -_room(ways, disputed, one))[:2]
    }
    pairs = [
        pair
        for pair in combinations(sorted(few.values(), key=_age), 2)
        if _same_merchant(disputed, *pair) and countings(disputed, *pair)
    ]
    return max(pairs, key=lambda pair: _rank(disputed, *pair), default=None)


def _rank(disputed: EvidenceOrder, *pair: EvidenceOrder) -> tuple[int, ...]:
    shared, ways = shared_by(disputed, *pair), countings(disputed, *pair)
    worth = _worth(shared), all(each.described for each in pair)
    if _missing(shared) is not None:
        return 0, 0, 0, *worth, 0
    room = _room(ways, disputed, *pair)
    return 1, len(ways), room >= 0, *worth, room


def _room(ways: Sequence[DayCounting], disputed: EvidenceOrder, *others: EvidenceOrder) -> int:
    """How many days all of some others are away from being too new or too old for a provider."""
    ages = [age for each in ways for age in _ages(each, disputed, others)]
    return min(min(age - LATEST_DAYS, SAFEST_DAYS - age) for age in ages)


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
