"""Which disputes two earlier orders can win, and what is said of those that they cannot."""

import random
from itertools import combinations

import msgspec
import pytest

from gatehouse.admin.evidence.types.compelling import (
    EvidenceOrder,
    MissingEvidence,
    SharedElement,
    qualify,
)

NOW = 20_000
FULL = {
    SharedElement.IP_ADDRESS: "a",
    SharedElement.DEVICE: "d",
    SharedElement.ACCOUNT: "u",
    SharedElement.SHIPPING_ADDRESS: "s",
}


def order(name: str, age: int, **changes: object) -> EvidenceOrder:
    elements = changes.pop("elements", FULL)
    return EvidenceOrder(name, "card", NOW - age, elements, **changes)  # type: ignore[arg-type]


DISPUTED = order("disputed", 0)


@pytest.mark.parametrize(("age", "counts"), [(119, False), (120, True), (365, True), (366, False)])
def test_earlier_orders_are_120_to_365_days_before(age: int, counts: bool) -> None:
    found = qualify(DISPUTED, [order("r1", 200), order("r2", age)])
    assert found.qualified is counts
    assert found.missing is (None if counts else MissingEvidence.ONE_EARLIER_ORDER)


def test_an_address_or_a_device_must_be_among_what_is_equal() -> None:
    people = {SharedElement.ACCOUNT: "u", SharedElement.SHIPPING_ADDRESS: "s"}
    found = qualify(DISPUTED, [order(f"r{n}", 200 + n, elements=people) for n in range(3)])
    assert not found.qualified
    assert found.missing is MissingEvidence.NO_IP_ADDRESS_OR_DEVICE
    assert found.matched == (SharedElement.ACCOUNT, SharedElement.SHIPPING_ADDRESS)


def test_what_the_order_did_not_tell_is_named() -> None:
    disputed = order(
        "disputed", 0, elements={SharedElement.ACCOUNT: "u", SharedElement.IP_ADDRESS: "a"}
    )
    assert qualify(disputed, []).send == (SharedElement.DEVICE, SharedElement.SHIPPING_ADDRESS)


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"disputed": True}, MissingEvidence.NO_EARLIER_ORDERS),
        ({"settled": False}, MissingEvidence.NOT_SETTLED),
        ({"amount_micros": 0}, MissingEvidence.NO_EARLIER_ORDERS),
        ({"elements": {}}, MissingEvidence.NOTHING_IN_COMMON),
        ({"elements": {SharedElement.DEVICE: "d"}}, MissingEvidence.ONE_ELEMENT),
    ],
)
def test_a_near_miss_says_what_was_missing(
    change: dict[str, object], missing: MissingEvidence
) -> None:
    found = qualify(DISPUTED, [order("r1", 150, **change), order("r2", 160, **change)])
    assert not found.qualified
    assert found.missing is missing


def test_what_too_few_of_the_earlier_orders_told_is_named() -> None:
    told = {SharedElement.ACCOUNT: "u", SharedElement.SHIPPING_ADDRESS: "s"}
    others = [order("r1", 150, elements=told), order("r2", 160, elements=told), order("r3", 170)]
    found = qualify(DISPUTED, others)
    assert found.send == (SharedElement.IP_ADDRESS, SharedElement.DEVICE)
    assert (found.usable, found.waiting) == (3, 0)


def test_an_order_of_which_it_is_known_what_was_sold_is_preferred() -> None:
    others = [order("r1", 300, described=False), order("r2", 200), order("r3", 150)]
    assert qualify(DISPUTED, others).pair == ("r2", "r3")


@pytest.mark.parametrize("age", [119, 120, 365, 366])
def test_the_edges_hold_for_every_mixture_of_elements(age: int) -> None:
    draw = random.Random(age)
    for _ in range(200):
        disputed, others = _history(draw)
        disputed = msgspec.structs.replace(disputed, dispute_day=None)
        edge = order("edge", age, elements=disputed.elements)
        both = [*others, edge, msgspec.structs.replace(edge, request_id="edge2")]
        found = qualify(disputed, both)
        if not 120 <= age <= 365:
            assert not {"edge", "edge2"} & {*(found.pair or ())}
        assert (found.qualified, found.pair) in _searched(disputed, both)


@pytest.mark.parametrize(
    ("ages", "raised", "pair", "countings"),
    [
        ((365, 364, 200, 150), None, (200, 150), ["TRANSACTION"]),
        ((365, 364), None, (365, 364), ["TRANSACTION"]),
        ((350, 340, 121, 122), 30, (122, 121), ["TRANSACTION", "DISPUTE"]),
        ((350, 340), 30, (350, 340), ["TRANSACTION"]),
        ((100, 110), 40, (110, 100), ["DISPUTE"]),
    ],
)
def test_a_pair_that_is_in_time_by_every_way_of_counting_is_preferred(
    ages: tuple[int, ...], raised: int | None, pair: tuple[int, int], countings: list[str]
) -> None:
    day = None if raised is None else NOW + raised
    disputed = msgspec.structs.replace(DISPUTED, dispute_day=day)
    found = qualify(disputed, [order(f"r{age}", age) for age in ages])
    assert found.pair == (f"r{pair[0]}", f"r{pair[1]}")
    assert (found.qualified, list(found.countings)) == (True, countings)


@pytest.mark.parametrize(
    ("mine", "others", "pair"),
    [
        ("M-1", {"r1": "M-2", "r2": "M-1", "r3": "M-1"}, ("r2", "r3")),
        ("M-1", {"r1": "M-2", "r2": None, "r3": "M-1"}, ("r2", "r3")),
        ("M-1", {"r1": "M-2", "r2": "M-2", "r3": "M-1"}, None),
        (None, {"r1": "M-2", "r2": "M-1"}, None),
        (None, {"r1": "M-2", "r2": "M-2"}, ("r1", "r2")),
    ],
)
def test_earlier_orders_of_another_merchant_id_prove_nothing(
    mine: str | None, others: dict[str, str | None], pair: tuple[str, str] | None
) -> None:
    disputed = msgspec.structs.replace(DISPUTED, merchant_id=mine)
    ages = {"r1": 240, "r2": 200, "r3": 190}
    found = qualify(
        disputed, [order(each, ages[each], merchant_id=others[each]) for each in others]
    )
    assert found.pair == pair
    assert found.missing is (None if pair else MissingEvidence.OTHER_MERCHANT)


def test_another_reason_is_no_case_for_it() -> None:
    found = qualify(DISPUTED, [order("r1", 150), order("r2", 160)], reason="13.1")
    assert found.missing is MissingEvidence.NOT_VISA_FRAUD


def test_the_pair_is_that_of_a_search_through_all_pairs() -> None:
    draw = random.Random(36)
    for _ in range(5000):
        disputed, others = _history(draw)
        found = qualify(disputed, others)
        assert (found.qualified, found.pair) in _searched(disputed, others)


def _history(draw: random.Random) -> tuple[EvidenceOrder, list[EvidenceOrder]]:
    def elements() -> dict[SharedElement, str]:
        return {each: draw.choice("xy") for each in SharedElement if draw.random() < 0.7}

    def one(name: str, age: int) -> EvidenceOrder:
        flags = {name: draw.random() < 0.85 for name in ("settled", "described")}
        return EvidenceOrder(
            name,
            draw.choice(("card", "card", "other")),
            NOW - age,
            elements(),
            disputed=draw.random() < 0.1,
            amount_micros=draw.choice((0, 5, 5, 5)),
            merchant_id=draw.choice((None, "M-1", "M-1", "M-2")),
            **flags,
        )

    disputed = EvidenceOrder(
        *("disputed", "card", NOW, elements()),
        merchant_id=draw.choice((None, "M-1")),
        dispute_day=draw.choice((None, NOW + draw.randrange(120))),
    )
    return disputed, [one(f"r{n:02}", draw.randrange(100, 400)) for n in range(draw.randrange(14))]


def _searched(
    disputed: EvidenceOrder, others: list[EvidenceOrder]
) -> list[tuple[bool, tuple[str, str] | None]]:
    """The rules said once more, over every pair: the best ones."""
    usable = [
        each
        for each in others
        if each.card == "card"
        and each.day < NOW
        and each.settled
        and not each.disputed
        and each.amount_micros
    ]
    days = [NOW] if disputed.dispute_day is None else [NOW, disputed.dispute_day]
    ranked = []
    for pair in combinations(sorted(usable, key=lambda each: (each.day, each.request_id)), 2):
        fitting = [day for day in days if all(120 <= day - each.day <= 365 for each in pair)]
        if not fitting or len({one.merchant_id for one in (disputed, *pair)} - {None}) > 1:
            continue
        equal = {
            name
            for name, value in disputed.elements.items()
            if all(each.elements.get(name) == value for each in pair)
        }
        technical = bool(equal & {SharedElement.IP_ADDRESS, SharedElement.DEVICE})
        described = all(each.described for each in pair)
        enough = technical and len(equal) >= 2
        room = min(
            min(day - each.day - 120, 364 - day + each.day) for each in pair for day in fitting
        )
        sure = (len(fitting), room >= 0) if enough else (0, 0)
        key = (enough, *sure, technical, len(equal), described, room if enough else 0)
        ranked.append((key, enough, (pair[0].request_id, pair[1].request_id)))
    best = max((key for key, *_ in ranked), default=None)
    return [(enough, names) for key, enough, names in ranked if key == best] or [(False, None)]
