"""The parts of a condition while its tree is put together, and what holds for parts of all kinds.

A part with a mistake is `broken`: it fits everywhere, so that one mistake is reported once and the
rest of the condition is still checked.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM, Catalogue
from gatehouse.conditions.mistakes import Notes, did_you_mean, meant
from gatehouse.conditions.nodes import Literal, Node, Signal, Type
from gatehouse.conditions.tokens import ConditionToken, TokenKind
from gatehouse.core.errors import GatehouseError
from gatehouse.core.wording.sentences import Phrase, number_text

_DEMANDED: Final = Phrase("condition.demanded", "{where} must be {kind}, but this is {other}")
_DEMANDED_BOOLEAN: Final = Phrase(
    "condition.demanded_boolean",
    "{where} must be {kind}, but this is {other}; compare it with something",
)
_CAN_BE: Final = Phrase("condition.can_be", "; it can be {values}")

_DECLARE_SAID: Final = Phrase("condition.declare", "; name it with its type under `inputs`")
_NUMBER: Final = Phrase("condition.number", "a number")
_TEXT: Final = Phrase("condition.text", "a text")
_BOOLEAN: Final = Phrase("condition.boolean", "true or false")
_WORDS: Final = Phrase("condition.words", "a set of words")
_UNDECLARED: Final = Phrase("condition.undeclared", "the custom input {name} is not declared{hint}")
_QUOTES: Final = Phrase("condition.quotes", "; a text is written in single quotes, 'like this'")
_NO_SIGNAL: Final = Phrase("condition.no_signal", "there is no signal {name}{hint}")
_NULL: Final = Phrase("condition.null", "NULL compares with nothing: write IS NULL or IS NOT NULL")
_PARTS: Final = Phrase(
    "condition.parts",
    "a condition has at most {most} parts (values in an IN of plain values do not "
    "count); split it into several rules",
)
_ASK_HAS: Final = Phrase("condition.ask_has", "words are asked with HAS({name}, 'word')")
_SAME_TYPE: Final = Phrase(
    "condition.same_type",
    "{where} must have the same type, but this is {kind} and {name} is {other}",
)
_NEVER_VALUE: Final = Phrase("condition.never_value", "{name} is never '{text}'{hint}")
_THE_OTHER: Final = Phrase("condition.the_other", "the other")

MOST_NODES: Final = 200

_DECLARE: Final = _DECLARE_SAID()
_NAMES: Final = {
    Type.NUMBER: _NUMBER(),
    Type.TEXT: _TEXT(),
    Type.BOOLEAN: _BOOLEAN(),
    Type.WORDS: _WORDS(),
}


class TooLarge(GatehouseError):
    """The condition is nested too deeply or has too many parts; the text says so."""


class Typed(msgspec.Struct, frozen=True):
    """A part of the tree with its type (None: NULL) and its place in the text."""

    node: Node
    type: Type | None
    start: int
    end: int
    size: int = 1
    """How many nodes it has."""
    broken: bool = False
    depth: int = 0
    """How many levels of nodes are below it."""


class PartChecker:
    """Makes parts of the tree and notes what does not fit."""

    def __init__(self, catalogue: Catalogue, notes: Notes) -> None:
        self.signals: dict[str, None] = {}
        self.lists: dict[tuple[str, str], None] = {}
        self.notes = notes
        self._catalogue = catalogue

    def value(self, token: ConditionToken) -> Typed:
        """A signal or a written value."""
        start, end = token.start, token.end
        match token.kind:
            case TokenKind.TEXT:
                return Typed(Literal(token.text), Type.TEXT, start, end)
            case TokenKind.NUMBER:
                return Typed(Literal(float(token.text)), Type.NUMBER, start, end)
            case TokenKind.CONSTANT if token.text == "NULL":
                return Typed(Literal(None), None, start, end)
            case TokenKind.CONSTANT:
                return Typed(Literal(token.text == "TRUE"), Type.BOOLEAN, start, end)
        found = self._catalogue.find(token.text)
        if found is None:
            self.notes.add(start, end, self._unknown(token.text))
            return Typed(Literal(None), None, start, end, broken=True)
        self.signals.setdefault(found.name)
        return Typed(Signal(found.name, found.type), found.type, start, end)

    def _unknown(self, name: str) -> str:
        names = self._catalogue.names()
        if name.startswith(CUSTOM):
            known = [each.removeprefix(CUSTOM) for each in names if each.startswith(CUSTOM)]
            hint = did_you_mean(name.removeprefix(CUSTOM), known, CUSTOM)
            return _UNDECLARED(name=name, hint=hint or _DECLARE)
        hint = did_you_mean(name, names)
        if not hint:
            same_end = [each for each in names if each.endswith("." + name.lower())]
            inside = [each for each in names if each.startswith(name.lower() + ".")]
            near = (same_end or inside)[:3]
            hint = meant(near) if near else ""
        return _NO_SIGNAL(name=name, hint=hint or _QUOTES())

    def demand(self, parts: Sequence[Typed], kind: Type, where: str) -> bool:
        """Whether all parts have this type; a mistake is noted for each that has not."""
        fine = True
        for part in parts:
            fine &= part.type is kind and not part.broken
            if part.broken or part.type is kind:
                continue
            if part.type is None:
                self.refuse_null(part)
                continue
            phrase = _DEMANDED_BOOLEAN if kind is Type.BOOLEAN else _DEMANDED
            message = phrase(where=where, kind=_NAMES[kind], other=_NAMES[part.type])
            self.notes.add(part.start, part.end, message)
        return fine

    def refuse_null(self, part: Typed) -> None:
        """Note a NULL where a value is needed."""
        message = _NULL()
        self.notes.add(part.start, part.end, message)

    def made(self, node: Node, kind: Type, parts: Sequence[Typed], fine: bool = True) -> Typed:
        """A node made of parts; broken when one of them is, or when they do not fit together."""
        size = 1 + sum(each.size for each in parts)
        if size > MOST_NODES:
            raise TooLarge(_PARTS(most=MOST_NODES))
        broken = not fine or any(each.broken for each in parts)
        start, end = min(each.start for each in parts), max(each.end for each in parts)
        return Typed(node, kind, start, end, size, broken)

    def alike(self, parts: Sequence[Typed], where: str) -> bool:
        """Note a mistake unless all parts have one type that can be compared."""
        sure = (each for each in parts if each.type is not None and not each.broken)
        first = next((each for each in sure if each.type is not Type.WORDS), None)
        fine = not any(each.broken for each in parts)
        for each in parts:
            if each.type is None and not each.broken:
                self.refuse_null(each)
                fine = False
            elif each.type is Type.WORDS:
                message = _ASK_HAS(name=name_of(each))
                self.notes.add(each.start, each.end, message)
                fine = False
            elif first is not None and not each.broken and each.type is not first.type:
                message = _SAME_TYPE(
                    where=where, kind=kind_of(each), name=name_of(first), other=kind_of(first)
                )
                self.notes.add(each.start, each.end, message)
                fine = False
        return fine

    def check_values(self, subject: Typed, options: Sequence[Typed]) -> None:
        """Note texts that the subject can never have."""
        if not isinstance(subject.node, Signal):
            return
        found = self._catalogue.find(subject.node.name)
        if found is None or not found.values:
            return
        for each in options:
            if not isinstance(each.node, Literal) or not isinstance(each.node.value, str):
                continue
            if each.node.value not in found.values:
                hint = did_you_mean(each.node.value, found.values)
                hint = hint or _CAN_BE(values=", ".join(found.values))
                message = _NEVER_VALUE(name=found.name, text=each.node.value[:40], hint=hint)
                self.notes.add(each.start, each.end, message)


def kind_of(part: Typed) -> str:
    """The type of a part, for a message."""
    return "NULL" if part.type is None else _NAMES[part.type]


def name_of(part: Typed) -> str:
    """What to call a part in a message."""
    match part.node:
        case Signal(name, _):
            return name
        case Literal(str(value)):
            return f"'{value[:40]}'"
        case Literal(float(value)):
            return number_text(value)
    return _THE_OTHER()
