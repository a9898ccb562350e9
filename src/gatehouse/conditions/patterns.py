"""Rewrites LIKE once for both compilers, so that Python and DuckDB cannot disagree.

Most patterns ask how a text begins, how it ends or what is in it. Every other pattern becomes a
regular expression for RE2, which both engines use and which takes linear time.
"""

from typing import Final

import re2

from gatehouse.conditions.nodes import Call, Compare, Like, Literal, Node, Type
from gatehouse.core.wording.sentences import Phrase

_ENDS_ESCAPED: Final = Phrase("condition.ends_escaped", "ends with its escape character")

_MANY: Final = "%"
_ONE: Final = "_"


def parts_of(pattern: str, escape: str | None) -> list[tuple[str, bool]]:
    """The characters of a pattern, each with whether it is a wildcard.

    ValueError when it ends with the escape character, which then has nothing to escape.
    """
    parts: list[tuple[str, bool]] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None:
                raise ValueError(_ENDS_ESCAPED())
            parts.append((following, False))
        else:
            parts.append((character, character in (_MANY, _ONE)))
    return parts


def plain_form(node: Like) -> Node | str:
    """A simpler condition that asks the same, or a regular expression for the whole text."""
    parts = parts_of(node.pattern, node.escape)
    opens = closes = False
    inner = parts
    while inner and inner[0] == (_MANY, True):
        opens, inner = True, inner[1:]
    while inner and inner[-1] == (_MANY, True):
        closes, inner = True, inner[:-1]
    if any(wild for _, wild in inner):
        return _expression(parts)
    text = Literal("".join(character for character, _ in inner))
    if not opens and not closes:
        return Compare("=", node.value, text)
    function = "CONTAINS" if opens and closes else "ENDS_WITH" if opens else "STARTS_WITH"
    return Call(function, (node.value, text), Type.BOOLEAN)


def _expression(parts: list[tuple[str, bool]]) -> str:
    wildcards = {_MANY: ".*", _ONE: "."}
    return "(?s)" + "".join(
        wildcards[character] if wild else re2.escape(character) for character, wild in parts
    )
