"""How reputations stand: fair to crowds, exact when a label is taken back, apart where asked."""

import math
from array import array
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.sentry.memory.account_stats import AccountStats
from gatehouse.sentry.memory.entity_history import EntityHistory
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import DAY_S, Entity, EntityKind, MemoryEvent
from gatehouse.sentry.memory.reputation import EntityReputation
from gatehouse.sentry.memory.reputation_store import (
    SHARED,
    SMOOTHING,
    USUAL_RATE,
    KeyedEvent,
    ReputationStore,
)
from tests.sentry.visits import DAY, HOUR, NOW

TODAY = int(NOW // DAY_S)
WORTH_TELLING = 0.4
"""From here on the shipped scorecard counts a reputation."""

KINDS = sorted(SMOOTHING)
CROWDS = [
    *(
        EntityKind.ADDRESS,
        EntityKind.NETWORK,
        EntityKind.OPERATOR,
        EntityKind.COUNTRY,
        EntityKind.AFFILIATE,
    ),
    *(
        EntityKind.BIN,
        EntityKind.ISSUER,
        EntityKind.SHELF,
        EntityKind.MIX,
        EntityKind.CUSTOM,
        EntityKind.DISCOUNT,
    ),
]


def event(*entities: Entity, at_s: float = NOW, merchant: str = "shop") -> MemoryEvent:
    return MemoryEvent(merchant, at_s, entities, 59.9, "USD")


def of_kinds(name: str, kinds: Iterable[EntityKind] = KINDS) -> list[Entity]:
    return [(kind, name) for kind in kinds]


def reputations(
    memory: LocalMemory, asked: MemoryEvent
) -> dict[EntityKind, list[EntityReputation]]:
    return memory.note(asked).reputation()


def risk(memory: LocalMemory, kind: EntityKind, name: str, merchant: str = "shop") -> float:
    found = reputations(memory, event((kind, name), merchant=merchant)).get(kind)
    return 0.0 if found is None else found[0].risk


# ---- What has a reputation ---------------------------------------------------------------------


def test_nothing_is_said_about_anybody_before_the_first_label() -> None:
    memory = LocalMemory(limit=10_000)
    for _ in range(5):
        assert reputations(memory, event(*of_kinds("a"))) == {}


def test_a_label_counts_for_everything_that_has_a_reputation() -> None:
    memory = LocalMemory(limit=10_000)
    seen = event(*of_kinds("a", EntityKind))
    memory.note(seen)
    memory.note_label(seen, fraud=True)
    found = reputations(memory, event(*of_kinds("a", EntityKind), at_s=NOW + HOUR))
    assert set(found) == set(SMOOTHING)
    assert all(standing.risk > WORTH_TELLING for [standing] in found.values())
    assert all(standing.frauds == pytest.approx(1) for [standing] in found.values())


def test_nobody_else_is_touched_by_it() -> None:
    memory = LocalMemory(limit=10_000)
    seen = event((EntityKind.USER, "ann"), (EntityKind.ADDRESS, "24.1.2.3"))
    memory.note_label(seen, fraud=True)
    found = reputations(memory, event((EntityKind.USER, "ben"), (EntityKind.ADDRESS, "24.1.2.3")))
    assert set(found) == {EntityKind.ADDRESS}


def test_a_label_that_is_changed_or_taken_back_leaves_exactly_what_the_others_say() -> None:
    memory, other = LocalMemory(limit=10_000), LocalMemory(limit=10_000)
    first, second = (event(*of_kinds("a"), at_s=NOW - days * DAY) for days in (40, 3))
    for each in (memory, other):
        each.note(first)
        each.note(second)
        each.note_label(first, fraud=True)
    memory.note_label(second, fraud=True)
    memory.note_label(second, fraud=False, previous=True)
    memory.note_label(second, fraud=None, previous=False)
    asked = event(*of_kinds("a"))
    one, two = reputations(memory, asked), reputations(other, asked)
    risks = [{kind: [each.risk for each in all_] for kind, all_ in x.items()} for x in (one, two)]
    assert risks[0] == risks[1]
    memory.note_label(first, fraud=None, previous=True)
    assert reputations(memory, asked) == {}


def test_what_turned_out_well_is_better_than_usual_and_what_did_not_is_worse() -> None:
    memory = LocalMemory(limit=10_000)
    for number in range(20):
        memory.note_label(event((EntityKind.USER, "good"), at_s=NOW - number * DAY), fraud=False)
    memory.note_label(event((EntityKind.USER, "bad")), fraud=True)
    assert risk(memory, EntityKind.USER, "good") < -WORTH_TELLING
    assert risk(memory, EntityKind.USER, "bad") > WORTH_TELLING
    assert risk(memory, EntityKind.USER, "new") == 0


def test_an_event_that_names_a_thing_twice_has_one_label() -> None:
    memory = LocalMemory(limit=10_000)
    twice = event(
        (EntityKind.SHELF, "shoes@11"), (EntityKind.ARTICLE, "a@40"), (EntityKind.SHELF, "shoes@11")
    )
    memory.note(twice)
    memory.note_label(twice, fraud=True)
    found = reputations(memory, event((EntityKind.SHELF, "shoes@11"), at_s=NOW + HOUR))
    assert [standing.frauds for standing in found[EntityKind.SHELF]] == pytest.approx([1])
    memory.note_label(twice, fraud=None, previous=True)
    assert reputations(memory, twice) == {}


def test_there_is_an_end_to_what_is_kept() -> None:
    memory = LocalMemory(limit=40)
    sightings = [event((EntityKind.USER, f"u{number}")) for number in range(100)]
    for each in sightings:
        memory.note_label(each, fraud=True)
    assert risk(memory, EntityKind.USER, "u99") > 0
    assert risk(memory, EntityKind.USER, "u0") == 0
    # To take back what was dropped is no news for anybody.
    for each in sightings:
        memory.note_label(each, fraud=None, previous=True)
    assert [risk(memory, EntityKind.USER, f"u{number}") for number in range(100)] == [0] * 100


# ---- Fair to crowds ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CROWDS, ids=lambda kind: kind.name)
def test_one_fraud_does_not_condemn_who_has_many_events(kind: EntityKind) -> None:
    """Merchants who tell of frauds alone never say that all the others went well."""
    memory = LocalMemory(limit=10_000)
    for number in range(600):
        seen = event((kind, "busy"), at_s=NOW - number * HOUR)
        memory.note(seen)
    memory.note_label(seen, fraud=True)
    alone = event((kind, "quiet"))
    memory.note(alone)
    memory.note_label(alone, fraud=True)
    assert 0 <= risk(memory, kind, "busy") < WORTH_TELLING
    assert risk(memory, kind, "quiet") > risk(memory, kind, "busy") + WORTH_TELLING


@pytest.mark.parametrize("kind", CROWDS, ids=lambda kind: kind.name)
def test_the_first_fraud_of_a_large_account_does_not_condemn_crowds(kind: EntityKind) -> None:
    """As long as next to nothing is known, one fraud is not a hundred times the usual rate."""
    memory = LocalMemory(limit=100_000)
    for number in range(4_000):
        # A tenth of all events touch the thing.
        name = "crowd" if number % 10 == 0 else f"{number}"
        memory.note(event((kind, name), at_s=NOW - 20 * DAY + number * 400))
    memory.note_label(event((kind, "crowd"), at_s=NOW - DAY), fraud=True)
    assert 0 <= risk(memory, kind, "crowd") < WORTH_TELLING


def test_a_busy_address_is_not_condemned_by_what_another_account_says_of_it() -> None:
    memory = LocalMemory(limit=10_000)
    for name, times in (("busy", 600), ("quiet", 1)):
        for number in range(times):
            seen = event((EntityKind.ADDRESS, name), at_s=NOW - number * HOUR, merchant="elsewhere")
            memory.note(seen)
        memory.note_label(seen, fraud=True)
    assert 0 <= risk(memory, EntityKind.ADDRESS, "busy") < WORTH_TELLING
    assert risk(memory, EntityKind.ADDRESS, "quiet") > 1.5


def test_nobody_gets_a_good_name_from_what_nobody_spoke_of() -> None:
    memory = LocalMemory(limit=10_000)
    for name in ("told", "untold"):
        for number in range(300):
            seen = event((EntityKind.AFFILIATE, name), at_s=NOW - number * HOUR)
            memory.note(seen)
            if name == "told":
                memory.note_label(seen, fraud=False)
    memory.note_label(event((EntityKind.AFFILIATE, "other")), fraud=True)
    assert risk(memory, EntityKind.AFFILIATE, "untold") == 0
    assert risk(memory, EntityKind.AFFILIATE, "told") < -2
    # Nor is somebody thought better of for the first fraud.
    memory.note_label(seen := event((EntityKind.AFFILIATE, "untold")), fraud=True)
    assert risk(memory, EntityKind.AFFILIATE, "untold") >= 0
    memory.note_label(seen, fraud=None, previous=True)
    assert risk(memory, EntityKind.AFFILIATE, "untold") == 0


def test_where_fraud_is_usual_an_average_is_nothing_special() -> None:
    memory = LocalMemory(limit=10_000)
    for number in range(2_000):
        seen = event((EntityKind.COUNTRY, f"c{number % 4}"), (EntityKind.USER, f"u{number}"))
        memory.note_label(seen, fraud=number % 80 < 4)
    for name in ("c0", "c1", "c2", "c3"):
        assert abs(risk(memory, EntityKind.COUNTRY, name)) < 0.2


# ---- Numbers -----------------------------------------------------------------------------------


class Known:
    """One entity of which events and labels are known, in an account with many other events."""

    def __init__(
        self,
        kind: EntityKind,
        events: int = 0,
        account_events: float = 5_000,
        merchant: str = "shop",
    ):
        self.kind = kind
        self.keys = {name: 32 * number + kind for number, name in enumerate(("shop", "elsewhere"))}
        self.stats = AccountStats(events=int(account_events), recent=account_events, recent_s=NOW)
        self._shop = merchant
        self.history = EntityHistory(
            NOW, NOW, None, events, timeline=array("d", (NOW - 1, events, 0))
        )
        self.reputations = ReputationStore(1000, shared=True)

    def _peek(self, key: int) -> EntityHistory | None:
        return self.history if key == self.keys[self._shop] else None

    def label(self, *days: int, fraud: bool, times: int = 1, merchant: str = "") -> None:
        name = merchant or self._shop
        for day in days:
            seen = event((self.kind, "x"), at_s=float(day * DAY_S), merchant=name)
            target = self.reputations.label_target(seen, [self.keys[name]])
            self.reputations.note(target, fraud=fraud, times=times)

    def risk(self, day: int = TODAY) -> float:
        at_s = NOW + (day - TODAY) * DAY
        asked = event((self.kind, "x"), at_s=at_s)
        keyed = KeyedEvent(asked, [self.keys["shop"]], self.stats, self._peek)
        found = self.reputations.of(keyed)
        return found[self.kind][0].risk if found else 0.0


DAYS = st.lists(st.integers(TODAY - 150, TODAY), max_size=6)


@given(st.sampled_from(KINDS), st.integers(0, 300), DAYS, DAYS, st.integers(TODAY - 150, TODAY))
def test_risk_grows_with_frauds_and_falls_with_what_turned_out_well(
    kind: EntityKind, events: int, frauds: list[int], goods: list[int], day: int
) -> None:
    known = Known(kind, events)
    known.label(*frauds, fraud=True)
    known.label(*goods, fraud=False)
    before = known.risk()
    known.label(day, fraud=True)
    # A float's worth of rounding apart.
    assert known.risk() >= before - 1e-9
    known.label(day, fraud=True, times=-1)
    assert known.risk() == before
    known.label(day, fraud=False)
    # It is also heard that this account speaks of what turns out well, which says a little less
    # of all that it never spoke of.
    assert known.risk() <= before + 1e-3
    known.label(day, fraud=False, times=-1)
    assert known.risk() == before


@given(st.sampled_from(KINDS), st.integers(0, 300), DAYS, DAYS)
def test_a_reputation_fades_towards_nothing(
    kind: EntityKind, events: int, frauds: list[int], goods: list[int]
) -> None:
    known = Known(kind, events)
    known.label(*frauds, fraud=True)
    known.label(*goods, fraud=False)
    later = [abs(known.risk(TODAY + days)) for days in range(0, 900, 60)]
    assert later[-1] < 0.01
    if not events and not (frauds and goods):
        assert later == sorted(later, reverse=True)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_single_fraud_counts_as_the_formula_says(kind: EntityKind) -> None:
    known = Known(kind, account_events=800)
    known.label(TODAY, fraud=True)
    base = max((1 + 200 * USUAL_RATE) / (800 + 200), USUAL_RATE)
    weight = SMOOTHING[kind]
    rate = (1 + weight * base) / (1 + weight)
    expected = math.log(rate / (1 - rate)) - math.log(base / (1 - base))
    assert known.risk() == pytest.approx(expected)


def test_what_came_after_an_event_does_not_speak_for_it() -> None:
    known = Known(EntityKind.ADDRESS, events=100)
    known.label(TODAY, fraud=True)
    assert known.history.timeline is not None
    now = known.risk()
    known.history.timeline[0] = known.history.last_s = NOW + HOUR
    # None of the hundred was there when this one came.
    assert known.risk() > now + 1


def test_labels_of_later_days_count_as_of_their_own() -> None:
    known = Known(EntityKind.CARD)
    known.label(TODAY, fraud=True)
    assert known.risk(TODAY - 5) == known.risk(TODAY) > known.risk(TODAY + 5)


# ---- Several accounts --------------------------------------------------------------------------


def test_only_what_is_the_same_for_all_speaks_to_other_accounts_and_more_weakly() -> None:
    memory = LocalMemory(limit=10_000)
    for number in range(500):
        memory.note(event((EntityKind.USER, f"{number}")))
        memory.note(event((EntityKind.USER, f"{number}"), merchant="elsewhere"))
    seen = event(*of_kinds("a"), merchant="elsewhere")
    memory.note(seen)
    memory.note_label(seen, fraud=True)
    here = reputations(memory, event(*of_kinds("a")))
    there = reputations(memory, event(*of_kinds("a"), merchant="elsewhere"))
    assert set(here) == SHARED
    assert all(0 < here[kind][0].risk < there[kind][0].risk - 0.4 for kind in SHARED)
    assert {
        EntityKind.USER,
        EntityKind.AFFILIATE,
        EntityKind.ARTICLE,
        EntityKind.COUNTRY,
    }.isdisjoint(SHARED)


def test_an_account_with_labels_of_its_own_hears_of_others_too() -> None:
    memory = LocalMemory(limit=10_000)
    memory.note_label(event((EntityKind.CARD, "lost"), merchant="elsewhere"), fraud=True)
    memory.note_label(event((EntityKind.CARD, "mine")), fraud=False)
    assert risk(memory, EntityKind.CARD, "lost") > WORTH_TELLING
    assert risk(memory, EntityKind.CARD, "mine", merchant="elsewhere") < 0


def test_accounts_that_are_kept_apart_hear_nothing_of_each_other() -> None:
    memory = LocalMemory(limit=10_000, shared_reputation=False)
    seen = event(*of_kinds("a"), merchant="elsewhere")
    memory.note_label(seen, fraud=True)
    assert reputations(memory, event(*of_kinds("a"))) == {}
    memory.note_label(event((EntityKind.USER, "u")), fraud=True)
    assert reputations(memory, event(*of_kinds("a"))) == {}
    assert set(reputations(memory, event(*of_kinds("a"), merchant="elsewhere"))) == set(SMOOTHING)


def test_ones_own_experience_outweighs_what_others_say() -> None:
    known = Known(EntityKind.EMAIL, merchant="elsewhere")
    known.label(TODAY, TODAY, fraud=True)
    told = known.risk()
    known.label(TODAY, fraud=False, merchant="shop")
    assert 0 < known.risk() < told
    known.label(*[TODAY] * 80, fraud=False, merchant="shop")
    assert known.risk() < 0


# ---- Goods -------------------------------------------------------------------------------------


def goods(memory: LocalMemory, *entities: Entity) -> list[float]:
    found = reputations(memory, event(*entities, at_s=NOW + HOUR))
    return [each.risk for each in found.get(EntityKind.ARTICLE, [])]


SHELF: Entity = (EntityKind.SHELF, "phones@18")
SOLD: Entity = (EntityKind.ARTICLE, "p1@74")
NEW: Entity = (EntityKind.ARTICLE, "p2@75")


@pytest.fixture
def merchant_of_phones() -> LocalMemory:
    memory = LocalMemory(limit=10_000)
    for number in range(3):
        seen = event(SHELF, SOLD, at_s=NOW - number)
        memory.note(seen)
        memory.note_label(seen, fraud=True)
    return memory


def test_an_article_of_which_nothing_is_known_stands_as_its_shelf_does(
    merchant_of_phones: LocalMemory,
) -> None:
    [shelf] = reputations(merchant_of_phones, event(SHELF, at_s=NOW + HOUR))[EntityKind.SHELF]
    [new] = goods(merchant_of_phones, SHELF, NEW)
    [sold] = goods(merchant_of_phones, SHELF, SOLD)
    assert new == pytest.approx(shelf.risk, abs=0.1)
    assert sold > new > WORTH_TELLING


def test_an_article_without_a_shelf_does_not_stand_behind_that_of_its_neighbour(
    merchant_of_phones: LocalMemory,
) -> None:
    assert len(goods(merchant_of_phones, SHELF, SOLD, NEW)) == 1
    assert goods(merchant_of_phones, NEW) == []
    assert goods(merchant_of_phones, SHELF, (EntityKind.SHELF, "books@8"), NEW) == []


def test_what_a_cart_has_on_several_lines_was_sold_once() -> None:
    house = AccountStats()
    house.sell([1, 2, 1, 1])
    assert house.sold == {1: 1, 2: 1}


@pytest.mark.parametrize("often", [1, 3])
def test_a_flood_of_goods_and_words_does_not_push_out_what_is_sold_all_the_time(
    often: int,
) -> None:
    house = AccountStats()
    for _ in range(100):
        house.sell([-1])
        house.tally([-1])
    flood: Sequence[int] = range(150_000)
    for _ in range(often):
        house.sell(flood)
        house.tally(flood)
    assert house.sold[-1] == house.tallies[-1] == 100
    assert len(house.sold) <= 100_000
    assert len(house.tallies) <= 20_000


# ---- One order is one fraud --------------------------------------------------------------------


def test_an_order_that_was_asked_about_several_times_is_one_fraud() -> None:
    once, often = LocalMemory(limit=1000), LocalMemory(limit=1000)
    first = event((EntityKind.USER, "ann"), (EntityKind.TRANSACTION, "t-1 ann"))
    again = event(
        (EntityKind.USER, "ann"),
        (EntityKind.CARD, "c"),
        (EntityKind.TRANSACTION, "t-1 ann"),
        at_s=NOW + 5,
    )
    for memory, asked in ((once, [first]), (often, [first, again, again])):
        for each in asked:
            memory.note(each)
            memory.note_label(each, fraud=True)
    assert risk(often, EntityKind.USER, "ann") == pytest.approx(risk(once, EntityKind.USER, "ann"))
    # Taking all of it back leaves nothing, in whatever order.
    for each in (again, first, again):
        often.note_label(each, fraud=None, previous=True)
    assert reputations(often, event((EntityKind.USER, "ann"), at_s=NOW + HOUR)) == {}


def test_the_label_of_a_repeat_alone_counts() -> None:
    memory = LocalMemory(limit=1000)
    repeat = event((EntityKind.USER, "ann"), (EntityKind.TRANSACTION, "t-1 ann"))
    memory.note(repeat)
    memory.note(repeat)
    memory.note_label(repeat, fraud=True)
    assert risk(memory, EntityKind.USER, "ann") > 0


@given(st.permutations(range(6)))
def test_the_order_in_which_events_are_read_back_does_not_matter(order: list[int]) -> None:
    """A server that is serving already reads its past beside that."""
    house, usual = AccountStats(), AccountStats()
    for number in order:
        house.count(NOW - number * 20 * DAY)
    for number in reversed(range(6)):
        usual.count(NOW - number * 20 * DAY)
    assert house.recent == pytest.approx(usual.recent)
    for number in order:
        house.uncount(NOW - number * 20 * DAY)
    assert house.events == 0
    assert house.recent == pytest.approx(0)


@pytest.mark.parametrize("repeats", [1, 2, 5])
@pytest.mark.parametrize("apart", [0, 5])
def test_what_was_said_of_a_repeated_order_can_be_said_otherwise(repeats: int, apart: int) -> None:
    """A dispute that is won changes the labels of all requests of the order, one by one."""
    memory, plain = LocalMemory(limit=1000), LocalMemory(limit=1000)
    orders = [
        event(
            (EntityKind.USER, "ann"), (EntityKind.TRANSACTION, "t-1 ann"), at_s=NOW + apart * number
        )
        for number in range(repeats)
    ]
    for each in orders:
        memory.note(each)
        memory.note_label(each, fraud=True)
    for each in orders:
        memory.note_label(each, fraud=False, previous=True)
    plain.note(orders[0])
    plain.note_label(orders[0], fraud=False)
    assert risk(memory, EntityKind.USER, "ann") == risk(plain, EntityKind.USER, "ann") < 0
