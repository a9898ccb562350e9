"""Conditions that are clicked together become text that is read as it was meant."""

import pytest

from gatehouse.conditions.catalogue import SIGNALS, Catalogue
from gatehouse.conditions.clicked import (
    OPERATORS,
    Clicked,
    ClickedGroup,
    WrongQuestion,
    write_condition,
)
from gatehouse.conditions.nodes import Compare, Literal, Type
from gatehouse.conditions.parse import read_condition

CATALOGUE = Catalogue()


def _group(*questions: tuple[str, ...], is_any: bool = False) -> ClickedGroup:
    return ClickedGroup(tuple(Clicked(*each) for each in questions), is_any)


def test_groups_are_joined_as_chosen() -> None:
    first = _group(("order.amount", "more", "100"), ("ip.tor", "yes"), is_any=True)
    second = _group(("user.id", "not_listed", "known-users"))
    text = write_condition([first, second], CATALOGUE)
    assert text == "(order.amount > 100 OR ip.tor)\nAND (user.id NOT IN LIST('known-users'))"
    assert read_condition(text, CATALOGUE).lists == (("user.id", "known-users"),)
    assert "\nOR " in write_condition([first, second], CATALOGUE, is_any=True)
    assert write_condition([], CATALOGUE) == ""


@pytest.mark.parametrize("kind", list(Type))
def test_every_operator_that_is_offered_can_be_read(kind: Type) -> None:
    names = [name for name, info in SIGNALS.items() if info.type is kind and not info.values]
    name = "user.id" if kind is Type.TEXT else names[0]
    value = "7" if kind is Type.NUMBER else "vip"
    for operator in OPERATORS[kind]:
        text = write_condition([_group((name, operator, value))], CATALOGUE)
        assert name in read_condition(text, CATALOGUE).signals


@pytest.mark.parametrize("value", ["O'Neil", "' OR TRUE --", "''", "\\", "%", "a;b"])
def test_a_value_is_never_more_than_a_value(value: str) -> None:
    text = write_condition([_group(("user.id", "equal", value))], CATALOGUE)
    condition = read_condition(text, CATALOGUE)
    assert isinstance(condition.root, Compare)
    assert condition.root.right == Literal(value)


@pytest.mark.parametrize(
    "question",
    [
        ("no.signal", "equal", "1"),
        ("order.amount", "contains", "1"),
        ("order.amount", "more", "much"),
        ("order.amount", "more", " "),
        ("user.id", "listed", "x'); --"),
        ("user.id", "nonsense", "1"),
    ],
)
def test_what_cannot_be_asked_is_named_by_its_place(question: tuple[str, ...]) -> None:
    good = ("ip.tor", "yes")
    with pytest.raises(WrongQuestion) as refused:
        write_condition([_group(good), _group(good, question)], CATALOGUE)
    assert (refused.value.group, refused.value.place) == (1, 1)


@pytest.mark.parametrize(
    ("typed", "larger", "smaller"),
    [("1.000", "1000", "1"), ("-12.345", "-12345", "-12.3450"), ("999.125", "999125", "999.1250")],
)
def test_a_number_that_could_be_thousands_is_asked_for_again(
    typed: str, larger: str, smaller: str
) -> None:
    with pytest.raises(WrongQuestion, match=f"{larger} or {smaller};"):
        write_condition([_group(("order.amount", "more", typed))], CATALOGUE)
    for meant in (larger, smaller):
        text = write_condition([_group(("order.amount", "more", meant))], CATALOGUE)
        assert text == f"order.amount > {meant}"


@pytest.mark.parametrize("typed", ["0.125", "1000.125", "249.99", "1.5", "-3"])
def test_a_number_that_can_mean_one_thing_is_taken(typed: str) -> None:
    text = write_condition([_group(("order.amount", "more", typed))], CATALOGUE)
    assert text == f"order.amount > {typed}"
