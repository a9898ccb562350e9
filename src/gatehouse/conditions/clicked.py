"""Conditions that are clicked together: a signal, an operator that fits it and a value, in groups.

The text of a condition is made of them. It is checked like any other before it is used.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from gatehouse.conditions.catalogue import LIST_NAME, Catalogue
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.signal import SignalInfo, Type
from gatehouse.core.wording.sentences import Phrase, said_by

_CLICKED_SIGNAL: Final = Phrase("condition.clicked_signal", "there is no such signal")
_CLICKED_OPERATOR: Final = Phrase(
    "condition.clicked_operator", "this cannot be asked of the signal; choose another comparison"
)
_CLICKED_VALUE: Final = Phrase("condition.clicked_value", "give a value")
_CLICKED_LIST: Final = Phrase("condition.clicked_list", "this is not the name of a list")
_CLICKED_NUMBER: Final = Phrase("condition.clicked_number", "give a number, such as 249.99")
_CLICKED_TWO_WAYS: Final = Phrase(
    "condition.clicked_two_ways", "this could mean {larger} or {smaller}; write one of these"
)
_CLICKED_TEXT: Final = Phrase("condition.clicked_text", "give a text of at most {most} characters")

_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", re.ASCII)
LIKE_THOUSANDS: Final = re.compile(r"(-?[1-9][0-9]{0,2})\.([0-9]{3})", re.ASCII)
"""In some languages a point groups thousands."""
_LONGEST_TEXT: Final = 500


class Operator(StrEnum):
    """How a signal is asked."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS = "less"
    AT_MOST = "at_most"
    MORE = "more"
    AT_LEAST = "at_least"
    ONE_OF = "one_of"
    NONE_OF = "none_of"
    BEGINS = "begins"
    ENDS = "ends"
    CONTAINS = "contains"
    LISTED = "listed"
    NOT_LISTED = "not_listed"
    YES = "yes"
    NO = "no"
    HAS = "has"
    HAS_NOT = "has_not"
    KNOWN = "known"
    UNKNOWN = "unknown"


_O = Operator
_ALWAYS: Final = (_O.KNOWN, _O.UNKNOWN)
SIZES: Final = MappingProxyType(
    {_O.EQUAL: "=", _O.NOT_EQUAL: "<>", _O.LESS: "<", _O.AT_MOST: "<=", _O.MORE: ">"}
    | {_O.AT_LEAST: ">="}
)
OPERATORS: Final[Mapping[Type, tuple[Operator, ...]]] = MappingProxyType(
    {
        Type.NUMBER: (*SIZES, _O.ONE_OF, _O.NONE_OF, *_ALWAYS),
        Type.TEXT: (
            *(_O.EQUAL, _O.NOT_EQUAL, _O.ONE_OF, _O.NONE_OF, _O.BEGINS, _O.ENDS, _O.CONTAINS),
            *(_O.LISTED, _O.NOT_LISTED),
            *_ALWAYS,
        ),
        Type.BOOLEAN: (_O.YES, _O.NO, *_ALWAYS),
        Type.WORDS: (_O.HAS, _O.HAS_NOT),
    }
)
"""The operators that fit a type, in the order in which they are offered."""
WITHOUT_VALUE: Final = frozenset({_O.YES, _O.NO, *_ALWAYS})
"""Operators that need nothing beside the signal."""
TESTS: Final = {_O.BEGINS: "STARTS_WITH", _O.ENDS: "ENDS_WITH", _O.CONTAINS: "CONTAINS"}


class Clicked(msgspec.Struct, frozen=True):
    """One question about one signal."""

    signal: str
    operator: str
    value: str = ""


class ClickedGroup(msgspec.Struct, frozen=True):
    """Questions of which all must hold, or any."""

    questions: tuple[Clicked, ...]
    is_any: bool = False


class WrongQuestion(InvalidInput):
    """A question that cannot be asked, with its group and its place in it, from 0."""

    def __init__(self, group: int, place: int, message: str) -> None:
        super().__init__(message)
        self.group = group
        self.place = place


def write_condition(
    groups: Sequence[ClickedGroup], catalogue: Catalogue, *, is_any: bool = False
) -> str:
    """The text of all groups, joined by AND or by OR; empty for nothing."""
    texts = []
    for number, group in enumerate(groups):
        parts = []
        for place, question in enumerate(group.questions):
            try:
                parts.append(_question(question, catalogue))
            except ValueError as error:
                raise WrongQuestion(number, place, said_by(error)) from None
        if parts:
            texts.append((" OR " if group.is_any else " AND ").join(parts))
    if len(texts) == 1:
        return texts[0]
    return ("\nOR " if is_any else "\nAND ").join(f"({text})" for text in texts)


def _question(question: Clicked, catalogue: Catalogue) -> str:
    info = catalogue.find(question.signal)
    if info is None:
        raise ValueError(_CLICKED_SIGNAL())
    if question.operator not in OPERATORS[info.type]:
        raise ValueError(_CLICKED_OPERATOR())
    operator, name = Operator(question.operator), info.name
    if operator in WITHOUT_VALUE:
        endings = {_O.YES: name, _O.NO: f"NOT {name}", _O.KNOWN: f"{name} IS NOT NULL"}
        return endings.get(operator, f"{name} IS NULL")
    given = question.value.strip()
    if not given:
        raise ValueError(_CLICKED_VALUE())
    if operator in (_O.LISTED, _O.NOT_LISTED):
        return _listed(name, operator, given)
    if operator in (_O.ONE_OF, _O.NONE_OF):
        values = [_value(info, each.strip()) for each in given.split(",") if each.strip()]
        joined = ", ".join(values) or _value(info, given)
        return f"{name} {'NOT IN' if operator is _O.NONE_OF else 'IN'} ({joined})"
    value = _value(info, given)
    if operator in TESTS:
        return f"{TESTS[operator]}({name}, {value})"
    if operator in (_O.HAS, _O.HAS_NOT):
        return f"{'NOT ' if operator is _O.HAS_NOT else ''}HAS({name}, {value})"
    return f"{name} {SIZES[operator]} {value}"


def _listed(name: str, operator: Operator, given: str) -> str:
    if LIST_NAME.fullmatch(given) is None:
        raise ValueError(_CLICKED_LIST())
    return f"{name} {'NOT IN' if operator is _O.NOT_LISTED else 'IN'} LIST('{given}')"


def _value(info: SignalInfo, given: str) -> str:
    if info.type is Type.NUMBER:
        return _number(given)
    if len(given) > _LONGEST_TEXT:
        raise ValueError(_CLICKED_TEXT(most=_LONGEST_TEXT))
    return "'" + given.replace("'", "''") + "'"


def _number(given: str) -> str:
    if _NUMBER.fullmatch(given) is None:
        raise ValueError(_CLICKED_NUMBER())
    grouped = LIKE_THOUSANDS.fullmatch(given)
    if grouped is not None:
        units, decimals = grouped[1], grouped[2]
        smaller = units if decimals == "000" else f"{units}.{decimals}0"
        raise ValueError(_CLICKED_TWO_WAYS(larger=units + decimals, smaller=smaller))
    return given
