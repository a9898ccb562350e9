"""Cards that are tried out are counted: one BIN, many cards, few amounts, within an hour."""

from typing import Any

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.programmes.use_cases.enumeration import estimate_enumeration
from gatehouse.core.cards.numbers import KeptCard
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.decisions.record import DecisionRecord, RecordedStage, encode
from gatehouse.figures.card_bursts import BurstTerms, count_bursts
from tests.figures.shops import DAY_MS, HOUR_MS, NOW_MS, Shop

HOUR = NOW_MS // HOUR_MS * HOUR_MS - HOUR_MS
TERMS = BurstTerms(60, 20, 3)


def _card(bin_: str, number: int) -> KeptCard:
    return KeptCard("VISA", bin_, None, None, None, None, None, f"card_{bin_}_{number}")


def _try_card(shop: Shop, at_ms: int, bin_: str, number: int) -> None:
    """A request to PreCheck alone, which keeps no signals."""
    stage = RecordedStage("PreCheck", "PRECHECK", 1, True, 5, {"advice": "ACCEPT"})
    made = DecisionRecord(
        *(shop.session.randomness(8).hex(), "precheck", iso_time(at_ms), None),
        *(_card(bin_, number), [stage], 1, 1),
    )
    shop.keep(at_ms, encode(made), "precheck")


def _pay(shop: Shop, at_ms: int, number: int, amount: float) -> None:
    """A request to a pipeline with Gateway, which keeps signals."""
    stage = RecordedStage("Gateway", "GATEWAY", 1, True, 5, {"status": "AUTHORIZED"})
    signals: dict[str, Any] = {"card.bin": "51000000", "card.fingerprint": f"card_{number}"}
    signals |= {"order.amount": amount, "order.currency": "USD"}
    shop.keep(at_ms, stages=[stage], signals=signals)


def test_a_burst_begins_with_the_twentieth_card(shop: Shop) -> None:
    for number in range(19):
        _try_card(shop, HOUR + number, "42424242", number)
        _try_card(shop, HOUR + number, "41111111", number)
    _try_card(shop, HOUR + 50, "42424242", 19)
    # The same card again is no further one, and another hour is another burst.
    _try_card(shop, HOUR + 60, "41111111", 0)
    _try_card(shop, HOUR + HOUR_MS, "41111111", 19)
    found = count_bursts(shop.columns(), HOUR - DAY_MS, NOW_MS + 1, TERMS)
    assert (found.authorizations, found.in_bursts, found.bursts) == (41, 20, 1)


@pytest.mark.parametrize(("amounts", "in_bursts"), [(3, 24), (4, 0)])
def test_many_amounts_are_customers(shop: Shop, amounts: int, in_bursts: int) -> None:
    for number in range(24):
        _pay(shop, HOUR + number, number, 1.0 + number % amounts)
    # What neither PreCheck nor Gateway answered is no authorization.
    shop.keep(HOUR + 99)
    found = count_bursts(shop.columns(), HOUR - DAY_MS, NOW_MS + 1, TERMS)
    assert (found.authorizations, found.in_bursts) == (24, in_bursts)


def test_the_estimate_stands_beside_the_networks_limit(shop: Shop) -> None:
    for number in range(30):
        _try_card(shop, HOUR + number, "42424242", number)
    found = estimate_enumeration(shop.session, shop.columns(), None)
    assert (found.enumerated, found.basis_points, found.met) == (30, "10000.00", False)
    assert (found.limit_basis_points, found.limit_enumerated) == (2000, 300_000)
    assert not found.unverified
    assert "(2025-12-17) for the share" in found.source
    stranger = shop.session.acting_as(Actor.key("key_1", "acct_other"))
    with pytest.raises(NotFound):
        estimate_enumeration(stranger, shop.columns(), None)
