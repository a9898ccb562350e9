"""Reads a condition back into the questions that would have been clicked for it.

Only what comes back as the very same tree is opened so; other conditions need their text.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.conditions import nodes
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.clicked import (
    LIKE_THOUSANDS,
    SIZES,
    TESTS,
    Clicked,
    ClickedGroup,
    Operator,
    write_condition,
)
from gatehouse.conditions.nodes import Condition, Node, Type
from gatehouse.conditions.parse import ConditionRefused, read_condition
from gatehouse.core.errors import InvalidInput

_SIGNS: Final = {sign: operator for operator, sign in SIZES.items()}
_CALLS: Final = {name: operator for operator, name in TESTS.items()} | {"HAS": Operator.HAS}


class ClickedCondition(msgspec.Struct, frozen=True):
    """A condition as questions in groups."""

    groups: tuple[ClickedGroup, ...]
    is_any: bool = False
    """Whether any group is enough."""


def read_clicked(condition: Condition, catalogue: Catalogue) -> ClickedCondition | None:
    """The questions of a condition; None where only its text says it."""
    read = _read(condition.root)
    if read is None:
        return None
    try:
        text = write_condition(read.groups, catalogue, is_any=read.is_any)
        same = read_condition(text, catalogue).root == condition.root
    except (InvalidInput, ConditionRefused):
        return None
    return read if same else None


def _read(root: Node) -> ClickedCondition | None:
    one = _group(root)
    if one is not None:
        return ClickedCondition((one,))
    if not isinstance(root, nodes.Both | nodes.Either):
        return None
    groups = [_group(part) for part in root.parts]
    found = tuple(each for each in groups if each is not None)
    if len(found) < len(groups):
        return None
    return ClickedCondition(found, isinstance(root, nodes.Either))


def _group(node: Node) -> ClickedGroup | None:
    """A single question, or questions that are joined in one way."""
    is_any = isinstance(node, nodes.Either)
    parts = node.parts if isinstance(node, nodes.Both | nodes.Either) else (node,)
    questions = [_question(each) for each in parts]
    found = tuple(each for each in questions if each is not None)
    return ClickedGroup(found, is_any) if len(found) == len(questions) else None


def _question(node: Node) -> Clicked | None:  # one for each kind of question
    match node:
        case nodes.Signal(name, Type.BOOLEAN):
            return Clicked(name, Operator.YES)
        case nodes.Compare(sign, nodes.Signal(name, _), nodes.Literal(value)):
            return _valued(name, _SIGNS[sign], [value])
        case nodes.IsNull(nodes.Signal(name, _)):
            return Clicked(name, Operator.UNKNOWN)
        case nodes.OneOf(nodes.Signal(name, _), options):
            values = [each.value for each in options if isinstance(each, nodes.Literal)]
            return _valued(name, Operator.ONE_OF, values) if len(values) == len(options) else None
        case nodes.Listed(signal, name):
            return Clicked(signal.name, Operator.LISTED, name)
        case nodes.Call(function, (nodes.Signal(name, _), nodes.Literal(value)), _):
            return _valued(name, _CALLS[function], [value]) if function in _CALLS else None
        case nodes.Not(inner):
            asked = _question(inner)
            other = None if asked is None else _OPPOSITE.get(Operator(asked.operator))
            if asked is not None and other is not None:
                return msgspec.structs.replace(asked, operator=other)
    return None


_OPPOSITE: Final = {
    Operator.YES: Operator.NO,
    Operator.UNKNOWN: Operator.KNOWN,
    Operator.ONE_OF: Operator.NONE_OF,
    Operator.LISTED: Operator.NOT_LISTED,
    Operator.HAS: Operator.HAS_NOT,
}


def _valued(
    name: str, operator: Operator, values: Iterable[bool | float | str | None]
) -> Clicked | None:
    written = [_typed(each) for each in values]
    return None if None in written else Clicked(name, operator, ", ".join(map(str, written)))


def _typed(value: bool | float | str | None) -> str | None:
    """A value as a person would type it; None for what cannot be typed."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return None
    text = f"{value:.15f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{value:.15g}"
    # What could mean thousands is written so that it cannot.
    return f"{text}0" if LIKE_THOUSANDS.fullmatch(text) else text
