"""What is kept of what was found: names of keys, what they look like, and what was refused."""

import msgspec
import pytest

from gatehouse.sentry.found.found_inputs import (
    MOST_KEPT,
    NOTHING_FOUND,
    FoundInput,
    FoundInputs,
    InputFinding,
    InputKind,
    is_name,
    with_findings,
)
from gatehouse.sentry.policy import MOST_ENTITIES

IDENTIFIER, CATEGORY = InputKind.IDENTIFIER, InputKind.CATEGORY
PLAN = {"plan": InputFinding(CATEGORY)}
FOUND = with_findings(NOTHING_FOUND, (), {"device": InputFinding(IDENTIFIER), **PLAN}, 5)


def test_what_is_found_is_kept_with_its_moment() -> None:
    assert FOUND.inputs == (
        FoundInput("device", 5, IDENTIFIER),
        FoundInput("plan", 5, CATEGORY),
    )
    assert (FOUND.identifiers, FOUND.categories) == (("device",), ("plan",))


def test_what_is_known_stays_the_same_object() -> None:
    again = {"device": InputFinding(IDENTIFIER, sure=True), "other": InputFinding(None, sure=True)}
    assert with_findings(FOUND, (), again, 9) is FOUND


@pytest.mark.parametrize("sure", [True, False])
def test_what_was_found_is_changed_only_by_what_is_sure(sure: bool) -> None:
    now = {"device": InputFinding(CATEGORY, sure), "plan": InputFinding(IDENTIFIER, sure)}
    changed = with_findings(FOUND, (), now, 9)
    assert changed.categories == (("device",) if sure else ("plan",))
    assert changed.identifiers == (("plan",) if sure else ("device",))
    assert {each.since_ms for each in changed.inputs} == {5}


def test_what_turns_out_to_be_unfit_is_forgotten() -> None:
    assert with_findings(FOUND, (), {"device": InputFinding(None)}, 9) is FOUND
    unfit = {"device": InputFinding(None, sure=True)}
    assert with_findings(FOUND, (), unfit, 9).identifiers == ()


def test_a_refused_key_stays_refused() -> None:
    refused = FoundInputs((FoundInput("device", 5, IDENTIFIER, refused=True),))
    assert refused.identifiers == ()
    for kind in (IDENTIFIER, CATEGORY, None):
        now = {"device": InputFinding(kind, sure=True)}
        assert with_findings(refused, (), now, 9) is refused


def test_declared_keys_come_first() -> None:
    names = [f"k{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(100)]
    findings = dict.fromkeys([*names, "one"], InputFinding(CATEGORY))
    declared = ("one", "two")
    found = with_findings(NOTHING_FOUND, declared, findings, 5)
    assert len(found.inputs) == MOST_ENTITIES - len(declared)
    assert "one" not in found.categories
    many = tuple(names)[:MOST_ENTITIES]
    assert with_findings(NOTHING_FOUND, many, PLAN, 5) is NOTHING_FOUND


def test_refused_keys_are_bounded_too() -> None:
    refused = FoundInputs(tuple(FoundInput(f"k{n}", 1, refused=True) for n in range(MOST_KEPT)))
    assert with_findings(refused, (), PLAN, 5) is refused


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
