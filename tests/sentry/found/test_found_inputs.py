"""What is kept of what was found: names of keys, what they look like, and what was refused."""

import msgspec
import pytest

from gatehouse.sentry.found.found_inputs import (
    MOST_KEPT,
    NOTHING_FOUND,
    FoundInput,
    FoundInputs,
    InputKind,
    is_name,
    with_verdicts,
)
from gatehouse.sentry.policy import MOST_ENTITIES

IDENTIFIER, CATEGORY = InputKind.IDENTIFIER, InputKind.CATEGORY
FOUND = with_verdicts(NOTHING_FOUND, (), {"device": IDENTIFIER, "plan": CATEGORY}, 5)


def test_what_is_found_is_kept_with_its_moment() -> None:
    assert FOUND.inputs == (
        FoundInput("device", 5, IDENTIFIER),
        FoundInput("plan", 5, CATEGORY),
    )
    assert (FOUND.identifiers, FOUND.categories) == (("device",), ("plan",))


def test_what_is_known_stays_the_same_object() -> None:
    assert with_verdicts(FOUND, (), {"device": IDENTIFIER, "other": None}, 9) is FOUND


def test_an_identifier_can_become_a_category_and_not_the_reverse() -> None:
    changed = with_verdicts(FOUND, (), {"device": CATEGORY, "plan": IDENTIFIER}, 9)
    assert changed.categories == ("device", "plan")
    assert {each.since_ms for each in changed.inputs} == {5}


def test_what_turns_out_to_be_unfit_is_forgotten() -> None:
    assert with_verdicts(FOUND, (), {"device": None}, 9).identifiers == ()


def test_a_refused_key_stays_refused() -> None:
    refused = FoundInputs((FoundInput("device", 5, IDENTIFIER, refused=True),))
    assert refused.identifiers == ()
    for verdict in (IDENTIFIER, CATEGORY, None):
        assert with_verdicts(refused, (), {"device": verdict}, 9) is refused


def test_declared_keys_come_first() -> None:
    verdicts = {f"k{chr(97 + n // 26)}{chr(97 + n % 26)}": CATEGORY for n in range(100)}
    declared = ("one", "two")
    found = with_verdicts(NOTHING_FOUND, declared, {**verdicts, "one": CATEGORY}, 5)
    assert len(found.inputs) == MOST_ENTITIES - len(declared)
    assert "one" not in found.categories
    many = tuple(verdicts)[:MOST_ENTITIES]
    assert with_verdicts(NOTHING_FOUND, many, {"plan": CATEGORY}, 5) is NOTHING_FOUND


def test_refused_keys_are_bounded_too() -> None:
    refused = FoundInputs(tuple(FoundInput(f"k{n}", 1, refused=True) for n in range(MOST_KEPT)))
    assert with_verdicts(refused, (), {"plan": CATEGORY}, 5) is refused


def test_it_is_read_back_as_it_was_written() -> None:
    assert msgspec.convert(msgspec.to_builtins(FOUND), FoundInputs) == FOUND


@pytest.mark.parametrize("key", ["device", "order.store-2", "Größe", "a b", "x_1"])
def test_a_name_is_kept(key: str) -> None:
    assert is_name(key)


@pytest.mark.parametrize(
    "key", ["", "ada@example.com", "1st", "tel 0170-12345", "4242424242424242", "k" * 65, "a\nb"]
)
def test_what_could_be_about_a_person_is_no_name(key: str) -> None:
    assert not is_name(key)
