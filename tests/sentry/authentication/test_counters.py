"""What was paid with a card since its last authentication, in every kind of memory."""

import asyncio

import msgspec
import pytest

from gatehouse.core.cards.three_d_secure import ThreeDSecure, ThreeDSStatus
from gatehouse.sentry import kinds
from gatehouse.sentry.authentication.known import CardState
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from tests.sentry.authentication.shop import (
    GERMAN_CARD,
    PROVEN,
    AdvisedShop,
    advised_in,
)
from tests.sentry.authentication.situations import UNIT
from tests.sentry.shared.servers import Servers
from tests.sentry.shared.test_memory_shared import run
from tests.sentry.visits import NOW

MINUTE = 60.0
PAID = ((29.99, None), (10.0, None), (15.0, PROVEN), (7.5, None), (0.01, None), (30.0, None))
SEEN = ((0, 0), (1, 29.99), (0, 0), (0, 0), (1, 7.5), (2, 7.51))
"""What was paid before each of these, since the last authentication."""


async def _play(shops: "tuple[AdvisedShop, ...]") -> list[CardState | None]:
    found = []
    for number, (amount, proof) in enumerate(PAID):
        shop = shops[number % len(shops)]
        result = await shop.paid(amount, NOW + number * MINUTE, proof=proof)
        found.append(advised_in(result).known.card)
    return found


def _check(found: list[CardState | None]) -> None:
    for number, (state, (count, spent)) in enumerate(zip(found, SEEN, strict=True)):
        assert state is not None
        authenticated = None if number < 2 else int(NOW + 2 * MINUTE)
        assert state == CardState(count, round(spent * UNIT), authenticated)


def test_they_begin_again_with_an_authentication() -> None:
    found = asyncio.run(_play((AdvisedShop(),)))
    _check(found)


def test_servers_that_share_a_memory_count_together(valkey: str) -> None:
    async def two_servers(them: Servers) -> None:
        shops = tuple(AdvisedShop(memory=them.start(), server=name) for name in "ab")
        _check(await _play(shops))

    run(valkey, two_servers)


@pytest.mark.parametrize("status", [s for s in ThreeDSStatus if s.value != "Y"])
def test_only_an_authentication_that_succeeded_counts(status: ThreeDSStatus) -> None:
    shop = AdvisedShop()
    shop.pay(proof=ThreeDSecure(status=status))
    state = shop.advice(at_s=NOW + 1).known.card
    assert state == CardState(1, 10 * UNIT)


def test_another_card_has_counters_of_its_own() -> None:
    shop = AdvisedShop()
    shop.pay()
    other = msgspec.structs.replace(GERMAN_CARD, fingerprint="card-2")
    assert shop.advice(card=other, at_s=NOW + 1).known.card == CardState(0, 0)


def test_what_was_paid_in_another_currency_makes_the_sum_unknown() -> None:
    shop = AdvisedShop()
    shop.pay(10.0, currency="EUR")
    shop.pay(10.0, NOW + 1, currency="USD")
    assert shop.advice(at_s=NOW + 2).known.card == CardState(2, None)
    assert shop.advice(at_s=NOW + 3, currency="USD").known.card == CardState(3, None)


def test_sums_in_one_other_currency_are_converted() -> None:
    shop = AdvisedShop()
    shop.pay(10.389, currency="USD")
    found = shop.advice(20.778, NOW + 1, currency="USD").known
    assert found.card == CardState(1, 10 * UNIT)
    assert found.amount == 20 * UNIT


def test_a_busy_card_keeps_its_last_authentication() -> None:
    shop = AdvisedShop()
    shop.pay(proof=PROVEN)
    for number in range(1, 200):
        shop.pay(1.0, NOW + number, device={"deviceId": f"d-{number}"})
    found = shop.advice(at_s=NOW + 200).known.card
    assert found is not None
    assert found.authenticated_s == int(NOW)
    assert found.count >= 199


def test_a_memory_that_is_rebuilt_out_of_records_counts_the_same() -> None:
    shop, rebuilt = AdvisedShop(), LocalMemory(limit=10_000)
    for number, (amount, proof) in enumerate(PAID[:5]):
        kept = shop.pay(amount, NOW + number * MINUTE, proof=proof).facts["event"]
        assert (("authentication", "Y") in kept.entities) == (proof is not None)
        named = zip(kept.kinds, kept.values, strict=True)
        # As it would be opened again: the record shows the account's fingerprint of the card.
        entities = [
            (EntityKind(kind), f"inner {value}" if kind == kinds.CARD else value)
            for kind, value in named
        ]
        event = MemoryEvent("acct_1", kept.at, entities, kept.amount, kept.currency)
        rebuilt.note(event)
    again = AdvisedShop(memory=rebuilt).advice(30.0, NOW + 5 * MINUTE).known.card
    assert again == shop.advice(30.0, NOW + 5 * MINUTE).known.card
    assert again == CardState(2, 7_510_000, int(NOW + 2 * MINUTE))


def test_without_advice_nothing_more_is_remembered() -> None:
    shop = AdvisedShop(terms=None)
    result = shop.pay(proof=PROVEN)
    assert "sca" not in result.facts
    assert kinds.AUTHENTICATION not in result.facts["event"].kinds
