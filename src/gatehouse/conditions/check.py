"""Checks the types of a condition's parts while its tree is put together.

A part with a mistake is `broken`: it fits everywhere, so that one mistake is told once and the
rest of the condition is still checked.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM, LIST_NAME, Catalogue, kinds_for
from gatehouse.conditions.mistakes import Notes, did_you_mean
from gatehouse.conditions.nodes import (
    Arithmetic,
    Both,
    Call,
    Choose,
    Compare,
    Either,
    IsNull,
    Like,
    Listed,
    Literal,
    Node,
    Not,
    OneOf,
    Signal,
    Type,
)
from gatehouse.conditions.patterns import parts_of
from gatehouse.conditions.scan import LIST, Piece, TokenKind
from gatehouse.conditions.signatures import SIGNATURES, Signature
from gatehouse.core.errors import GatehouseError

MOST_NODES: Final = 200
MOST_WILDCARDS: Final = 40

_DECLARE: Final = "; name it with its type under `inputs`"
_NAMES: Final = {
    Type.NUMBER: "a number",
    Type.TEXT: "a text",
    Type.BOOLEAN: "true or false",
    Type.WORDS: "a set of words",
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
    broken: bool = False


class TypeChecker:
    """Puts parts together, and notes what does not fit."""

    def __init__(self, catalogue: Catalogue, notes: Notes) -> None:
        self.signals: dict[str, None] = {}
        self.lists: dict[tuple[str, str], None] = {}
        self._catalogue = catalogue
        self._notes = notes

    def value(self, piece: Piece) -> Typed:
        """A signal or a written value."""
        start, end = piece.start, piece.end
        match piece.kind:
            case TokenKind.TEXT:
                return Typed(Literal(piece.text), Type.TEXT, start, end)
            case TokenKind.NUMBER:
                return Typed(Literal(float(piece.text)), Type.NUMBER, start, end)
            case TokenKind.WORD if piece.text == "NULL":
                return Typed(Literal(None), None, start, end)
            case TokenKind.WORD:
                return Typed(Literal(piece.text == "TRUE"), Type.BOOLEAN, start, end)
        found = self._catalogue.find(piece.text)
        if found is None:
            self._notes.add(start, end, self._unknown(piece.text))
            return Typed(Literal(None), None, start, end, broken=True)
        self.signals.setdefault(found.name)
        return Typed(Signal(found.name, found.type), found.type, start, end)

    def _unknown(self, name: str) -> str:
        names = self._catalogue.names()
        if name.startswith(CUSTOM):
            known = [each.removeprefix(CUSTOM) for each in names if each.startswith(CUSTOM)]
            meant = did_you_mean(name.removeprefix(CUSTOM), known, CUSTOM)
            return f"the custom input {name} is not declared{meant or _DECLARE}"
        meant = did_you_mean(name, names)
        if not meant:
            same_end = [each for each in names if each.endswith("." + name.lower())]
            inside = [each for each in names if each.startswith(name.lower() + ".")]
            near = (same_end or inside)[:3]
            meant = f", did you mean {' or '.join(near)}?" if near else ""
        hint = meant or "; a text is written in single quotes, 'like this'"
        return f"there is no signal {name}{hint}"

    def demand(self, parts: Sequence[Typed], kind: Type, where: str) -> bool:
        """Whether all parts have this type; a mistake is noted for each that has not."""
        fine = True
        for part in parts:
            fine &= part.type is kind and not part.broken
            if part.broken or part.type is kind:
                continue
            if part.type is None:
                self._refuse_null(part)
                continue
            message = f"{where} must be {_NAMES[kind]}, but this is {_NAMES[part.type]}"
            if kind is Type.BOOLEAN:
                message += "; compare it with something"
            self._notes.add(part.start, part.end, message)
        return fine

    def _refuse_null(self, part: Typed) -> None:
        message = "NULL compares with nothing: write IS NULL or IS NOT NULL"
        self._notes.add(part.start, part.end, message)

    def _made(self, node: Node, kind: Type, parts: Sequence[Typed], fine: bool = True) -> Typed:
        size = 1 + sum(each.size for each in parts)
        if size > MOST_NODES:
            raise TooLarge(
                f"a condition has at most {MOST_NODES} parts (values in an IN of plain values do"
                " not count); split it into several rules"
            )
        broken = not fine or any(each.broken for each in parts)
        start, end = min(each.start for each in parts), max(each.end for each in parts)
        return Typed(node, kind, start, end, size, broken)

    def joined(self, parts: Sequence[Typed], *, both: bool) -> Typed:
        """AND or OR."""
        word = "AND" if both else "OR"
        fine = self.demand(parts, Type.BOOLEAN, f"each side of {word}")
        nodes = tuple(each.node for each in parts)
        return self._made(Both(nodes) if both else Either(nodes), Type.BOOLEAN, parts, fine)

    def negated(self, part: Typed) -> Typed:
        """NOT."""
        fine = self.demand([part], Type.BOOLEAN, "what follows NOT")
        return self._made(Not(part.node), Type.BOOLEAN, [part], fine)

    def opposite(self, part: Typed) -> Typed:
        """A minus sign before a number."""
        fine = self.demand([part], Type.NUMBER, "what follows a minus sign")
        if isinstance(part.node, Literal) and isinstance(part.node.value, float):
            return msgspec.structs.replace(part, node=Literal(-part.node.value))
        node = Arithmetic("-", Literal(0.0), part.node)
        return self._made(node, Type.NUMBER, [part], fine)

    def compared(self, operator: str, left: Typed, right: Typed) -> Typed:
        """One of = <> < <= > >=."""
        fine = self._alike([left, right], f"the two sides of {operator}")
        if fine and left.type is Type.BOOLEAN and operator not in ("=", "<>"):
            message = f"true and false cannot be compared by {operator}; use = or <>"
            self._notes.add(left.start, right.end, message)
        for one, other in ((left, right), (right, left)):
            self._check_values(one, [other])
        node = Compare(operator, left.node, right.node)
        return self._made(node, Type.BOOLEAN, [left, right], fine)

    def _alike(self, parts: Sequence[Typed], where: str) -> bool:
        """Note a mistake unless all parts have one type that can be compared."""
        sure = (each for each in parts if each.type is not None and not each.broken)
        first = next((each for each in sure if each.type is not Type.WORDS), None)
        fine = not any(each.broken for each in parts)
        for each in parts:
            if each.type is None and not each.broken:
                self._refuse_null(each)
                fine = False
            elif each.type is Type.WORDS:
                message = f"words are asked with HAS({_name_of(each)}, 'word')"
                self._notes.add(each.start, each.end, message)
                fine = False
            elif first is not None and not each.broken and each.type is not first.type:
                message = (
                    f"{where} must have the same type, but this is {_kind_of(each)} and"
                    f" {_name_of(first)} is {_kind_of(first)}"
                )
                self._notes.add(each.start, each.end, message)
                fine = False
        return fine

    def _check_values(self, subject: Typed, options: Sequence[Typed]) -> None:
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
                meant = did_you_mean(each.node.value, found.values)
                meant = meant or "; it can be " + ", ".join(found.values)
                message = f"{found.name} is never '{each.node.value[:40]}'{meant}"
                self._notes.add(each.start, each.end, message)

    def summed(self, operator: str, left: Typed, right: Typed) -> Typed:
        """One of + - * / %."""
        sides = [left, right]
        fine = self.demand(sides, Type.NUMBER, f"each side of {operator}")
        node = Arithmetic(operator, left.node, right.node)
        return self._made(node, Type.NUMBER, sides, fine)

    def one_of(self, value: Typed, options: Sequence[Typed]) -> Typed:
        """IN with values."""
        fine = self._alike([value, *options], "the values of IN")
        self._check_values(value, options)
        plain = all(isinstance(each.node, Literal) for each in options)
        node = OneOf(value.node, tuple(each.node for each in options))
        made = self._made(node, Type.BOOLEAN, [value] if plain else [value, *options], fine)
        return msgspec.structs.replace(made, end=options[-1].end)

    def between(self, value: Typed, low: Typed, high: Typed) -> Typed:
        """BETWEEN, as the two comparisons that it stands for."""
        if not self._alike([value, low, high], "the values of BETWEEN"):
            return Typed(value.node, Type.BOOLEAN, value.start, high.end, broken=True)
        return self.joined(
            [self.compared(">=", value, low), self.compared("<=", value, high)], both=True
        )

    def known_as(self, value: Typed, word: Piece) -> Typed:
        """IS NULL, IS TRUE or IS FALSE."""
        if word.text == "NULL":
            node: Node = IsNull(value.node)
            fine = not value.broken
        else:
            fine = self.demand([value], Type.BOOLEAN, f"what stands before IS {word.text}")
            asked = value.node if word.text == "TRUE" else Not(value.node)
            node = Call("COALESCE", (asked, Literal(False)), Type.BOOLEAN)
        return msgspec.structs.replace(self._made(node, Type.BOOLEAN, [value], fine), end=word.end)

    def like(self, value: Typed, pattern: Typed, escape: Piece | None) -> Typed:
        """LIKE, with ESCAPE or without."""
        fine = self.demand([value], Type.TEXT, "what is compared by LIKE")
        written = pattern.node.value if isinstance(pattern.node, Literal) else None
        sign = None if escape is None else escape.text
        if not isinstance(written, str):
            if not pattern.broken:
                message = "the pattern of LIKE must be a text in quotes; see also CONTAINS"
                self._notes.add(pattern.start, pattern.end, message)
            return Typed(value.node, Type.BOOLEAN, value.start, pattern.end, broken=True)
        if escape is not None and len(escape.text) != 1:
            self._notes.add(escape.start, escape.end, "ESCAPE takes exactly one character")
            sign, fine = None, False
        try:
            wild = sum(is_wild for _, is_wild in parts_of(written, sign))
        except ValueError as error:
            self._notes.add(pattern.start, pattern.end, f"the pattern {error}; write it twice")
            wild = 0
        if wild > MOST_WILDCARDS:
            message = f"a pattern has at most {MOST_WILDCARDS} wildcards"
            self._notes.add(pattern.start, pattern.end, message)
        node = Like(value.node, written, sign)
        return self._made(node, Type.BOOLEAN, [value, pattern], fine)

    def chosen(self, branches: Sequence[tuple[Typed, Typed]], otherwise: Typed | None) -> Typed:
        """CASE; its results may be NULL."""
        fine = self.demand([when for when, _ in branches], Type.BOOLEAN, "what follows WHEN")
        results = [then for _, then in branches] + ([] if otherwise is None else [otherwise])
        known = [each for each in results if each.type is not None]
        fine &= self._alike(known, "the results of CASE")
        parts = [each for branch in branches for each in branch]
        parts += [] if otherwise is None else [otherwise]
        kind = known[0].type if known else None
        if kind is None:
            if not any(each.broken for each in results):
                message = "one of the results of CASE must be something else than NULL"
                self._notes.add(parts[0].start, parts[-1].end, message)
            kind, fine = Type.BOOLEAN, False
        node = Choose(
            tuple((when.node, then.node) for when, then in branches),
            Literal(None) if otherwise is None else otherwise.node,
            kind,
        )
        return self._made(node, kind, parts, fine)

    def call(self, function: Piece, arguments: Sequence[Typed]) -> Typed:
        """A function with its arguments."""
        end = max([function.end + 1, *(each.end + 1 for each in arguments)])
        whole = Typed(Literal(None), None, function.start, end, broken=True)
        if function.text == LIST:
            message = "LIST can only stand after IN: signal IN LIST('name')"
            self._notes.add(function.start, function.end, message)
            return whole
        signature = SIGNATURES[function.text]
        kind = self._check_arguments(function, signature, arguments)
        if kind is None:
            return whole
        node = Call(function.text, tuple(each.node for each in arguments), kind)
        made = self._made(node, kind, arguments)
        return msgspec.structs.replace(made, start=function.start, end=end)

    def _check_arguments(
        self, function: Piece, signature: Signature, arguments: Sequence[Typed]
    ) -> Type | None:
        """The type of the result, None when something does not fit."""
        name, count = function.text, len(arguments)
        if not signature.fewest <= count <= signature.most:
            few, most = signature.fewest, signature.most
            wanted = str(few) if few == most else f"{few} to {most}"
            message = f"{name} takes {wanted} value{'' if wanted == '1' else 's'}, not {count}"
            self._notes.add(function.start, function.end, message)
            return None
        where = f"what {name} takes"
        if not signature.takes:
            fine = self._alike(arguments, where)
            kind = arguments[0].type
            if fine and kind not in signature.any_of:
                message = f"{name} does not take {_kind_of(arguments[0])}"
                self._notes.add(arguments[0].start, arguments[0].end, message)
                return None
            return kind if fine else None
        fine = True
        for each, wanted_kind in zip(arguments, signature.takes, strict=True):
            fine &= self.demand([each], wanted_kind, where)
        if not fine:
            return None
        if name == "HAS" and not isinstance(arguments[1].node, Literal):
            message = "the word that HAS looks for must be a text in quotes"
            self._notes.add(arguments[1].start, arguments[1].end, message)
            return None
        return signature.gives

    def listed(self, value: Typed, function: Piece, names: Sequence[Typed]) -> Typed:
        """IN LIST('name')."""
        end = max([function.end, *(each.end + 1 for each in names)])
        whole = Typed(Literal(None), Type.BOOLEAN, value.start, end, broken=True)
        name = names[0].node.value if names and isinstance(names[0].node, Literal) else None
        if len(names) != 1 or not isinstance(name, str) or LIST_NAME.fullmatch(name) is None:
            message = (
                "LIST takes the name of one list in quotes: up to 64 small letters, digits,"
                " - and _, beginning with a letter or digit"
            )
            self._notes.add(function.start, end, message)
            return whole
        if value.broken:
            return whole
        signal = value.node
        if not isinstance(signal, Signal) or signal.type is not Type.TEXT:
            message = "only a signal that is a text can be looked up on a list"
            self._notes.add(value.start, value.end, message)
            return whole
        if not kinds_for(signal.name):
            message = f"{signal.name} cannot be looked up on any kind of list"
            self._notes.add(value.start, value.end, message)
            return whole
        self.lists.setdefault((signal.name, name))
        made = self._made(Listed(signal, name), Type.BOOLEAN, [value])
        return msgspec.structs.replace(made, end=end)


def _kind_of(part: Typed) -> str:
    return "NULL" if part.type is None else _NAMES[part.type]


def _name_of(part: Typed) -> str:
    """How to speak of a part in a sentence."""
    match part.node:
        case Signal(name, _):
            return name
        case Literal(str(value)):
            return f"'{value[:40]}'"
        case Literal(float(value)):
            return f"{value:g}"
    return "the other"
