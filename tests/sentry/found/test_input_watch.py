"""Custom inputs worth remembering are found by what they do, within bounds."""

import pickle
import random
from collections.abc import Iterable

import pytest

from gatehouse.sentry.found import input_watch
from gatehouse.sentry.found.found_inputs import InputFinding, InputKind
from gatehouse.sentry.found.input_watch import (
    MOST_ACCOUNTS,
    MOST_WATCHED,
    SAMPLED,
    InputWatch,
    WatchedInput,
)
from tests.sentry.found.input_streams import (
    CATEGORIES,
    IDENTIFIERS,
    NEITHER,
    TRUTH,
    MadeUpRequest,
    made_up,
)

ACCOUNT = "acct_1"
CATEGORY = InputFinding(InputKind.CATEGORY)


def watched(requests: Iterable[MadeUpRequest]) -> dict[str, InputKind | None]:
    """What is found in a stream, as it was told last."""
    watch = InputWatch()
    found: dict[str, InputKind | None] = {}
    for inputs, user, at_s in requests:
        watch.note(ACCOUNT, inputs, user, at_s)
        told = watch.take_news().get(ACCOUNT, {})
        found |= {key: finding.kind for key, finding in told.items()}
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_input_of_a_made_up_shop_is_taken_for_what_it_is(seed: int) -> None:
    found = watched(made_up(4000, IDENTIFIERS, CATEGORIES, NEITHER, seed=seed))
    assert {key: found.get(key) for key in TRUTH} == TRUTH


@pytest.mark.parametrize("requests", [500, 1500])
def test_nothing_wrong_is_found_on_the_way(requests: int) -> None:
    found = watched(made_up(requests, IDENTIFIERS, CATEGORIES, NEITHER, seed=7))
    assert all(found.get(key) is None for key in NEITHER)
    # What many share may look like few people's own at first.
    assert all(found.get(key) is not InputKind.CATEGORY for key in IDENTIFIERS)


def test_most_is_found_within_the_first_hundreds_of_requests() -> None:
    found = watched(made_up(600, IDENTIFIERS, CATEGORIES, users=200))
    missing = {key for key in {**IDENTIFIERS, **CATEGORIES} if found.get(key) is None}
    assert not missing


def test_devices_are_found_where_every_user_buys_once() -> None:
    chance = random.Random(5)
    requests = [
        MadeUpRequest({"device": f"d{n}" if chance.random() > 0.1 else f"f{n // 40}"}, n, n * 60.0)
        for n in range(2000)
    ]
    assert watched(requests) == {"device": InputKind.IDENTIFIER}


def test_devices_are_found_by_a_few_that_come_back() -> None:
    chance = random.Random(8)
    requests = [
        MadeUpRequest({"device": f"d{n}" if chance.random() > 0.06 else f"f{n // 60}"}, n, n * 60.0)
        for n in range(3000)
    ]
    assert watched(requests) == {"device": InputKind.IDENTIFIER}


def test_under_attack_a_device_is_still_one_persons() -> None:
    chance = random.Random(6)
    requests = [
        MadeUpRequest({"deviceId": f"d{n}" if chance.random() < 0.4 else f"f{n // 8}"}, n, n * 60.0)
        for n in range(1000)
    ]
    assert watched(requests) == {"deviceId": InputKind.IDENTIFIER}


def test_inputs_of_a_shop_without_users_are_found_by_the_days_they_come_back() -> None:
    watch = InputWatch()
    for inputs, _, at_s in made_up(3000, IDENTIFIERS, NEITHER):
        watch.note(ACCOUNT, inputs, None, at_s)
    found = {key for key, each in watch.take_news()[ACCOUNT].items() if each.kind is not None}
    assert found == set(IDENTIFIERS)


def test_lists_are_watched_by_their_texts() -> None:
    requests = [
        MadeUpRequest({"makers": [f"m{n % 7}", 5, f"m{n % 3}"], "sizes": [n % 3]}, n, n * 60.0)
        for n in range(200)
    ]
    assert watched(requests) == {"makers": InputKind.CATEGORY}


def test_what_many_share_is_a_category_from_the_first_hundreds_of_requests_on() -> None:
    for seed in range(5):
        merchants = {"merchant": CATEGORIES["merchant"]}
        found = watched(made_up(300, merchants, seed=seed))
        assert found == {"merchant": InputKind.CATEGORY}


def test_an_order_that_is_tried_again_is_no_identifier() -> None:
    requests = [
        MadeUpRequest({"order": f"o-{n // 3}"}, n // 3, n * 600.0 + 60 * retry)
        for n in range(900)
        for retry in range(2)
    ]
    assert watched(requests) == {}


def test_a_verdict_is_told_once_and_once_more_when_it_is_sure() -> None:
    watch = InputWatch()
    told = []
    for inputs, user, at_s in made_up(6000, {"plan": CATEGORIES["plan"]}):
        watch.note(ACCOUNT, inputs, user, at_s)
        told += [each["plan"] for each in watch.take_news().values()]
    category = InputKind.CATEGORY
    assert told == [InputFinding(category), InputFinding(category, sure=True)]


def test_a_verdict_needs_two_judgements_that_agree() -> None:
    watched_input = WatchedInput("plan")
    told = []
    for number in range(200):
        watched_input.note(("a", "b", "c")[number % 3], number, 60.0 * number)
        if watched_input.events >= watched_input.judged_at:
            told.append(watched_input.judged())
    assert told == [None, CATEGORY, None, None]


def test_two_accounts_are_watched_apart() -> None:
    watch = InputWatch()
    for number in range(400):
        watch.note("acct_1", {"plan": f"p{number % 3}"}, number, number)
        watch.note("acct_2", {"plan": f"n-{number}"}, number, number)
    assert watch.take_news() == {"acct_1": {"plan": CATEGORY}}


def test_the_same_values_give_the_same_verdicts_whatever_the_process() -> None:
    watched_input = WatchedInput("visitor")
    for number in range(5000):
        watched_input.note(f"v-{number}", None, 0.0)
    # Sampled by a number that does not depend on the process.
    assert len(watched_input) == 316
    assert watched_input.evidence().distinct == 316 << 4


def test_the_number_of_values_is_estimated_from_a_sample() -> None:
    watched_input = WatchedInput("visitor")
    for number in range(50_000):
        watched_input.note(f"value {number}", None, 0.0)
        assert len(watched_input) <= SAMPLED
    assert 40_000 < watched_input.evidence().distinct < 60_000


def test_values_are_not_kept() -> None:
    watch = InputWatch()
    for number in range(100):
        watch.note(ACCOUNT, {"contact": f"person{number}@example.com"}, number, number)
    kept = pickle.dumps(watch)
    assert b"contact" in kept
    assert b"example" not in kept


def test_thousands_of_names_take_no_more_room_than_a_few() -> None:
    watch = InputWatch()
    for number in range(3000):
        watch.note(ACCOUNT, {f"key{number}x{n}": "a" for n in range(100)}, number, number)
    [account] = watch._accounts.values()
    assert len(account.inputs) <= MOST_WATCHED


def test_a_flood_of_names_keeps_an_honest_input_out_for_a_while_only() -> None:
    watch = InputWatch()
    for number in range(MOST_WATCHED):
        watch.note(ACCOUNT, {f"junk{chr(97 + number % 26)}{number}": "a"}, number, number)
    for number in range(3000):
        watch.note(ACCOUNT, {"plan": f"p{number % 3}"}, number, number)
    assert watch.take_news()[ACCOUNT] == {"plan": CATEGORY}


def test_names_that_could_be_about_a_person_are_not_watched() -> None:
    watch = InputWatch()
    for number in range(500):
        for key in ("ada@example.com", "4242424242424242", "phone 0170 1234567", "x" * 65, ""):
            watch.note(ACCOUNT, {key: f"p{number % 3}"}, number, number)
    assert watch.take_news() == {}


def test_accounts_and_values_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_watch, "MOST_VALUES", 2000)
    watch = InputWatch()
    for account in range(MOST_ACCOUNTS + 50):
        for number in range(30):
            watch.note(f"acct_{account}", {"visitor": f"v{number}"}, number, number)
    assert len(watch._accounts) <= MOST_ACCOUNTS
    assert sum(map(len, watch._accounts.values())) <= 2000 + SAMPLED


def test_what_is_certain_is_not_watched_any_longer() -> None:
    watched_input = WatchedInput("plan")
    while not watched_input.settled:
        watched_input.note(("a", "b", "c")[watched_input.events % 3], None, 0.0)
        if watched_input.events >= watched_input.judged_at:
            watched_input.judged()
    assert 2000 <= watched_input.events < 3000
    assert len(watched_input) == 0
