"""The memory of one process: what it counts, what it does not, and how much it holds."""

import math
from collections.abc import Sequence

import pytest

from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import (
    DAY_S,
    HOUR_S,
    MINUTE_S,
    MONTH_S,
    WEEK_S,
    Entity,
    EntityKind,
    MemoryEvent,
)
from gatehouse.sentry.memory.recalled import EntityView
from gatehouse.sentry.request_view import log_ratio

NOW = 1_800_000_000.0
SPANS_S = (MINUTE_S, HOUR_S, DAY_S, WEEK_S, MONTH_S)
SHOP = "acct_shop"


def event(
    at_s: float = NOW,
    *entities: Entity,
    amount: float | None = None,
    currency: str | None = "EUR",
    account_id: str = SHOP,
    country: str | None = None,
) -> MemoryEvent:
    return MemoryEvent(account_id, at_s, entities, amount, currency, country)


def seen(memory: LocalMemory, noted: MemoryEvent, kind: EntityKind) -> EntityView:
    found = memory.note(noted).of(kind)
    assert found is not None
    return found


def counts(found: EntityView) -> tuple[float, ...]:
    return tuple(found.count(window) for window in SPANS_S)


ADDRESS: Entity = (EntityKind.ADDRESS, "203.0.113.9")
USER: Entity = (EntityKind.USER, "u1")


@pytest.fixture
def memory() -> LocalMemory:
    return LocalMemory(limit=100_000)


def test_the_first_sight_of_an_entity_is_new(memory: LocalMemory) -> None:
    found = seen(memory, event(NOW, ADDRESS), EntityKind.ADDRESS)
    assert (found.events, found.first_s, found.previous_s) == (1, NOW, None)
    assert counts(found) == (1, 1, 1, 1, 1)


def test_later_sights_know_the_earlier_ones(memory: LocalMemory) -> None:
    memory.note(event(NOW, ADDRESS))
    found = seen(memory, event(NOW + 500, ADDRESS), EntityKind.ADDRESS)
    assert (found.events, found.first_s, found.previous_s) == (2, NOW, NOW)
    assert counts(found) == (1, 2, 2, 2, 2)


def test_accounts_share_nothing(memory: LocalMemory) -> None:
    memory.note(event(NOW, ADDRESS, USER, account_id="acct_other"))
    past = memory.note(event(NOW, ADDRESS, USER))
    found = past.of(EntityKind.ADDRESS)
    assert found is not None
    assert found.events == 1
    assert (past.events, past.users) == (1, 1)


def test_the_same_word_of_another_kind_is_another_entity(memory: LocalMemory) -> None:
    memory.note(event(NOW, (EntityKind.USER, "7")))
    assert seen(memory, event(NOW, (EntityKind.SESSION, "7")), EntityKind.SESSION).events == 1


def test_a_transaction_that_comes_again_is_not_counted_again(memory: LocalMemory) -> None:
    sale = event(NOW, ADDRESS, (EntityKind.TRANSACTION, "t1"), amount=5)
    assert memory.note(sale).counted
    again = memory.note(event(NOW + 9, ADDRESS, (EntityKind.TRANSACTION, "t1"), amount=5))
    assert not again.counted
    found = again.of(EntityKind.ADDRESS)
    assert found is not None
    assert found.events == 1
    assert found.total(HOUR_S) == 5
    assert again.events == 1


def test_an_event_that_is_retracted_leaves_nothing_behind(memory: LocalMemory) -> None:
    sale = event(NOW, ADDRESS, USER, (EntityKind.TRANSACTION, "t1"), amount=5)
    memory.note(sale)
    memory.retract(sale)
    past = memory.note(sale)
    address = past.of(EntityKind.ADDRESS)
    assert address is not None
    assert past.counted
    assert past.events == 1
    assert address.events == 1
    assert address.count(DAY_S) == 1
    assert address.total(DAY_S) == 5
    assert address.times_with(EntityKind.USER) == 1


def test_different_users_of_an_address_are_counted_by_window(memory: LocalMemory) -> None:
    for number in range(5):
        memory.note(event(NOW + number * 1000, ADDRESS, (EntityKind.USER, f"u{number}")))
    found = seen(memory, event(NOW + 4000, ADDRESS, (EntityKind.USER, "u4")), EntityKind.ADDRESS)
    assert found.distinct(EntityKind.USER, MINUTE_S) == 1
    assert found.distinct(EntityKind.USER, HOUR_S) == 4
    assert found.distinct(EntityKind.USER, DAY_S) == 5
    assert found.distinct(EntityKind.USER, MONTH_S) == 5


def test_a_pair_that_was_never_seen_before_is_new(memory: LocalMemory) -> None:
    memory.note(event(NOW, USER, (EntityKind.DEVICE, "d1")))
    known = seen(memory, event(NOW, USER, (EntityKind.DEVICE, "d1")), EntityKind.USER)
    assert known.times_with(EntityKind.DEVICE) == 2
    new = seen(memory, event(NOW, USER, (EntityKind.DEVICE, "d2")), EntityKind.USER)
    assert new.times_with(EntityKind.DEVICE) == 1
    assert new.times_with(EntityKind.CARD) == 0


def test_all_discount_codes_of_an_order_are_remembered(memory: LocalMemory) -> None:
    codes: Sequence[Entity] = [(EntityKind.DISCOUNT, "A"), (EntityKind.DISCOUNT, "B")]
    memory.note(event(NOW, *codes))
    found = memory.note(event(NOW, (EntityKind.DISCOUNT, "B"), (EntityKind.DISCOUNT, "C")))
    assert [one.events for one in found.all_of(EntityKind.DISCOUNT)] == [2, 1]


def test_usual_amounts_are_the_earlier_ones_in_the_same_currency(memory: LocalMemory) -> None:
    for amount in (10, 20):
        memory.note(event(NOW, USER, amount=amount))
    found = seen(memory, event(NOW, USER, amount=30), EntityKind.USER)
    assert list(found.usual_amounts()) == [math.log(10), math.log(20)]
    moved = seen(memory, event(NOW, USER, amount=3000, currency="JPY"), EntityKind.USER)
    assert list(moved.usual_amounts()) == []


def test_sums_never_mix_currencies(memory: LocalMemory) -> None:
    memory.note(event(NOW, ADDRESS, amount=10))
    found = seen(memory, event(NOW, ADDRESS, amount=9000, currency="JPY"), EntityKind.ADDRESS)
    assert found.total(HOUR_S) == 10
    assert found.count(HOUR_S) == 2


@pytest.mark.parametrize("amount", [0.0, -5.0, math.inf, math.nan, None])
def test_an_impossible_amount_is_no_habit(memory: LocalMemory, amount: float | None) -> None:
    memory.note(event(NOW, USER, amount=amount))
    assert list(seen(memory, event(NOW, USER, amount=5), EntityKind.USER).usual_amounts()) == []


def test_how_a_shops_amounts_spread_is_known_once_there_are_enough(memory: LocalMemory) -> None:
    assert memory.note(event(NOW, amount=20)).usual_amounts() is None
    for number in range(200):
        memory.note(event(NOW, amount=15 + number % 10))
    spread = memory.note(event(NOW, amount=20)).usual_amounts()
    assert spread is not None
    assert math.exp(spread.median) == pytest.approx(20, rel=0.1)
    assert 0 < spread.deviation < 0.3
    assert memory.note(event(NOW, amount=20, currency="USD")).usual_amounts() is None


def test_the_previous_country_of_a_user_is_known(memory: LocalMemory) -> None:
    memory.note(event(NOW, USER, country="DE"))
    found = seen(memory, event(NOW + 60, USER, country="JP"), EntityKind.USER)
    assert found.previous_country() == ("DE", NOW)


def test_an_event_that_comes_late_does_not_move_its_user(memory: LocalMemory) -> None:
    memory.note(event(NOW, USER, country="DE"))
    memory.note(event(NOW - 3600, USER, country="JP"))
    found = seen(memory, event(NOW + 60, USER, country="DE"), EntityKind.USER)
    assert found.previous_country() == ("DE", NOW)


def test_an_event_that_comes_late_is_judged_by_what_was_before_it(memory: LocalMemory) -> None:
    for number in range(5):
        memory.note(event(NOW + number, ADDRESS, (EntityKind.USER, f"u{number}")))
    found = seen(memory, event(NOW - 3000, ADDRESS, (EntityKind.USER, "late")), EntityKind.ADDRESS)
    assert counts(found) == (1, 1, 1, 1, 1)
    assert found.distinct(EntityKind.USER, DAY_S) == 1


def test_on_how_many_days_something_was_seen_is_known(memory: LocalMemory) -> None:
    for hour in range(0, 96, 8):
        found = seen(memory, event(NOW + hour * 3600, ADDRESS), EntityKind.ADDRESS)
    assert found.active_days() in (4, 5)


def test_a_repeat_adds_nothing_that_was_not_known(memory: LocalMemory) -> None:
    sale = (EntityKind.TRANSACTION, "t1")
    memory.note(event(NOW, ADDRESS, sale))
    again = seen(memory, event(NOW, USER, sale), EntityKind.USER)
    assert again.events == 0
    assert memory.state().entities == 1


def test_many_failures_leave_no_habits(memory: LocalMemory) -> None:
    for number in range(5):
        failed = event(NOW + number, USER, ADDRESS, amount=9999, country="JP")
        memory.note(failed)
        memory.retract(failed)
    assert memory.state().entities == 0
    past = memory.note(event(NOW + 60, USER, ADDRESS, amount=20, country="DE"))
    user = past.of(EntityKind.USER)
    assert user is not None
    assert (past.events, past.users, memory.state().events) == (1, 1, 1)
    assert list(user.usual_amounts()) == []
    assert user.previous_country() is None


def test_a_failure_among_good_orders_is_taken_back_whole(memory: LocalMemory) -> None:
    memory.note(event(NOW, USER, amount=20, country="DE"))
    failed = event(NOW + 60, USER, amount=9999, country="JP")
    memory.note(failed)
    memory.retract(failed)
    user = seen(memory, event(NOW + 120, USER, amount=30, country="DE"), EntityKind.USER)
    assert (user.events, user.previous_s) == (2, NOW)
    assert list(user.usual_amounts()) == [math.log(20)]
    assert user.previous_country() == ("DE", NOW)


def test_the_memory_holds_no_more_entities_than_it_may() -> None:
    memory = LocalMemory(limit=2000)
    for number in range(10_000):
        memory.note(event(NOW + number, (EntityKind.SESSION, f"s{number}")))
    state = memory.state()
    assert state.entities <= 2000
    assert state.events == 10_000


def test_who_comes_often_is_not_forgotten_for_those_who_came_once() -> None:
    memory = LocalMemory(limit=2000)
    for number in range(10_000):
        entities = [(EntityKind.SESSION, f"s{number}")]
        memory.note(event(NOW + number, *entities, *([USER] if number % 50 == 0 else [])))
    assert seen(memory, event(NOW, USER), EntityKind.USER).events == 201


def test_a_flood_of_strangers_does_not_make_regulars_strangers() -> None:
    memory = LocalMemory(limit=6400)
    for _ in range(3):
        memory.note(event(NOW, USER))
    for number in range(50_000):
        memory.note(event(NOW, (EntityKind.SESSION, f"s{number}"), account_id="acct_flood"))
    assert seen(memory, event(NOW, USER), EntityKind.USER).events == 4


def test_remembered_transactions_are_bounded_too() -> None:
    memory = LocalMemory(limit=2000)
    for number in range(10_000):
        memory.note(event(NOW, (EntityKind.TRANSACTION, f"t{number}")))
    assert not memory.note(event(NOW, (EntityKind.TRANSACTION, "t9999"))).counted
    kept = sum(len(shard.transactions) + len(shard.earlier) for shard in memory._shards)
    assert kept <= 2200


HOME: Sequence[Entity] = [
    (EntityKind.ADDRESS, "198.51.100.7"),
    (EntityKind.OPERATOR, "3320"),
    (EntityKind.COUNTRY, "DE"),
    (EntityKind.AGENT, "#a"),
    (EntityKind.BROWSER, "Chrome 157"),
    (EntityKind.SYSTEM, "Windows"),
]
AWAY: Sequence[Entity] = [
    (EntityKind.ADDRESS, "198.51.100.200"),
    (EntityKind.OPERATOR, "64500"),
    (EntityKind.COUNTRY, "BR"),
    (EntityKind.AGENT, "#b"),
    (EntityKind.BROWSER, "Firefox 120"),
    (EntityKind.SYSTEM, "Linux"),
]


@pytest.fixture
def town(memory: LocalMemory) -> LocalMemory:
    """Two users with user among others."""
    for day in range(12):
        memory.note(event(NOW + day * 86_400, USER, *HOME))
        memory.note(event(NOW + day * 86_400, (EntityKind.USER, "u2"), *AWAY))
        memory.note(event(NOW + day * 86_400, (EntityKind.USER, f"v{day}"), *AWAY))
    return memory


def later(memory: LocalMemory, *entities: Entity) -> float | None:
    return log_ratio(memory.note(event(NOW + 13 * 86_400, *entities)))


def test_a_user_at_home_looks_like_the_user(town: LocalMemory) -> None:
    ratio = later(town, USER, *HOME)
    assert ratio is not None
    assert ratio < -0.5


def test_an_accounts_total_that_was_read_before_its_users_history_fails_nobody(
    town: LocalMemory,
) -> None:
    found = town.note(event(NOW + 13 * 86_400, USER, *HOME))
    found.stats.events = 1
    assert log_ratio(found) is not None


def test_the_same_user_on_somebody_elses_device_and_network_does_not(town: LocalMemory) -> None:
    ratio = later(town, USER, *AWAY)
    assert ratio is not None
    assert ratio > 1


def test_a_new_address_of_the_usual_operator_is_a_smaller_change_than_another_country(
    town: LocalMemory,
) -> None:
    same_operator = [(EntityKind.ADDRESS, "198.51.100.8"), *HOME[1:]]
    elsewhere = [*AWAY[:3], *HOME[3:]]
    near, far = later(town, USER, *same_operator), later(town, USER, *elsewhere)
    assert near is not None
    assert far is not None
    assert near < far


def test_a_user_without_habits_looks_like_nobody(town: LocalMemory) -> None:
    assert later(town, (EntityKind.USER, "v1"), *AWAY) is None
    assert later(town, (EntityKind.USER, "new"), *HOME) is None
    assert later(town, *HOME) is None


def test_a_known_user_about_whom_nothing_else_is_sent_cannot_be_compared(town: LocalMemory) -> None:
    assert later(town, USER) is None
