"""Checks the types around each operator and function while a condition's tree is put together."""

from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.conditions import nodes
from gatehouse.conditions.catalogue import LIST_NAME, kinds_for
from gatehouse.conditions.nodes import Node, Type
from gatehouse.conditions.patterns import parts_of
from gatehouse.conditions.signatures import SIGNATURES, Signature
from gatehouse.conditions.tokens import LIST, ConditionToken
from gatehouse.conditions.typed import PartChecker, Typed, kind_of
from gatehouse.core.wording.sentences import Phrase, said_by

_TAKES_ONE: Final = Phrase("condition.takes_one", "{name} takes {wanted} value, not {count}")
_TAKES_VALUES: Final = Phrase("condition.takes_values", "{name} takes {wanted} values, not {count}")
_FEW_TO_MOST: Final = Phrase("condition.few_to_most", "{few} to {most}")

_EACH_SIDE: Final = Phrase("condition.each_side", "each side of {operator}")
_AFTER_NOT: Final = Phrase("condition.after_not", "what follows NOT")
_AFTER_MINUS: Final = Phrase("condition.after_minus", "what follows a minus sign")
_TWO_SIDES: Final = Phrase("condition.two_sides", "the two sides of {operator}")
_BOOLEANS_ORDERED: Final = Phrase(
    "condition.booleans_ordered", "true and false cannot be compared by {operator}; use = or <>"
)
_VALUES_IN: Final = Phrase("condition.values_in", "the values of IN")
_VALUES_BETWEEN: Final = Phrase("condition.values_between", "the values of BETWEEN")
_BEFORE_IS: Final = Phrase("condition.before_is", "what stands before IS {word}")
_COMPARED_LIKE: Final = Phrase("condition.compared_like", "what is compared by LIKE")
_LIKE_PATTERN: Final = Phrase(
    "condition.like_pattern", "the pattern of LIKE must be a text in quotes; see also CONTAINS"
)
_ESCAPE_ONE: Final = Phrase("condition.escape_one", "ESCAPE takes exactly one character")
_PATTERN_WHY: Final = Phrase("condition.pattern_why", "the pattern {why}; write it twice")
_WILDCARDS: Final = Phrase("condition.wildcards", "a pattern has at most {most} wildcards")
_AFTER_WHEN: Final = Phrase("condition.after_when", "what follows WHEN")
_CASE_RESULTS: Final = Phrase("condition.case_results", "the results of CASE")
_CASE_NULL: Final = Phrase(
    "condition.case_null", "one of the results of CASE must be something else than NULL"
)
_LIST_AFTER_IN: Final = Phrase(
    "condition.list_after_in", "LIST can only stand after IN: signal IN LIST('name')"
)
_TAKEN: Final = Phrase("condition.taken", "what {name} takes")
_NOT_TAKEN: Final = Phrase("condition.not_taken", "{name} does not take {kind}")
_HAS_WORD: Final = Phrase(
    "condition.has_word", "the word that HAS looks for must be a text in quotes"
)
_LIST_NAME: Final = Phrase(
    "condition.list_name",
    "LIST takes the name of one list in quotes: up to 64 small letters, digits, - and "
    "_, beginning with a letter or digit",
)
_LIST_TEXT: Final = Phrase(
    "condition.list_text", "only a signal that is a text can be looked up on a list"
)
_LIST_NEVER: Final = Phrase(
    "condition.list_never", "{name} cannot be looked up on any kind of list"
)

MOST_WILDCARDS: Final = 40


class TypeChecker(PartChecker):
    """Puts parts together by operators and functions, and notes what does not fit."""

    def joined(self, parts: Sequence[Typed], *, both: bool) -> Typed:
        """AND or OR."""
        word = "AND" if both else "OR"
        fine = self.demand(parts, Type.BOOLEAN, _EACH_SIDE(operator=word))
        inner = tuple(each.node for each in parts)
        return self.made(
            nodes.Both(inner) if both else nodes.Either(inner), Type.BOOLEAN, parts, fine
        )

    def negated(self, part: Typed) -> Typed:
        """NOT."""
        fine = self.demand([part], Type.BOOLEAN, _AFTER_NOT())
        return self.made(nodes.Not(part.node), Type.BOOLEAN, [part], fine)

    def opposite(self, part: Typed) -> Typed:
        """A minus sign before a number."""
        fine = self.demand([part], Type.NUMBER, _AFTER_MINUS())
        if isinstance(part.node, nodes.Literal) and isinstance(part.node.value, float):
            return msgspec.structs.replace(part, node=nodes.Literal(-part.node.value))
        node = nodes.Arithmetic("-", nodes.Literal(0.0), part.node)
        return self.made(node, Type.NUMBER, [part], fine)

    def compared(self, operator: str, left: Typed, right: Typed) -> Typed:
        """One of = <> < <= > >=."""
        fine = self.alike([left, right], _TWO_SIDES(operator=operator))
        if fine and left.type is Type.BOOLEAN and operator not in ("=", "<>"):
            message = _BOOLEANS_ORDERED(operator=operator)
            self.notes.add(left.start, right.end, message)
        for one, other in ((left, right), (right, left)):
            self.check_values(one, [other])
        node = nodes.Compare(operator, left.node, right.node)
        return self.made(node, Type.BOOLEAN, [left, right], fine)

    def summed(self, operator: str, left: Typed, right: Typed) -> Typed:
        """One of + - * / %."""
        sides = [left, right]
        fine = self.demand(sides, Type.NUMBER, _EACH_SIDE(operator=operator))
        node = nodes.Arithmetic(operator, left.node, right.node)
        return self.made(node, Type.NUMBER, sides, fine)

    def one_of(self, value: Typed, options: Sequence[Typed]) -> Typed:
        """IN with values."""
        fine = self.alike([value, *options], _VALUES_IN())
        self.check_values(value, options)
        plain = all(isinstance(each.node, nodes.Literal) for each in options)
        node = nodes.OneOf(value.node, tuple(each.node for each in options))
        made = self.made(node, Type.BOOLEAN, [value] if plain else [value, *options], fine)
        return msgspec.structs.replace(made, end=options[-1].end)

    def between(self, value: Typed, low: Typed, high: Typed) -> Typed:
        """BETWEEN, as the two comparisons that it stands for."""
        if not self.alike([value, low, high], _VALUES_BETWEEN()):
            return Typed(value.node, Type.BOOLEAN, value.start, high.end, broken=True)
        return self.joined(
            [self.compared(">=", value, low), self.compared("<=", value, high)], both=True
        )

    def known_as(self, value: Typed, word: ConditionToken) -> Typed:
        """IS NULL, IS TRUE or IS FALSE."""
        if word.text == "NULL":
            node: Node = nodes.IsNull(value.node)
            fine = not value.broken
        else:
            fine = self.demand([value], Type.BOOLEAN, _BEFORE_IS(word=word.text))
            asked = value.node if word.text == "TRUE" else nodes.Not(value.node)
            node = nodes.Call("COALESCE", (asked, nodes.Literal(False)), Type.BOOLEAN)
        return msgspec.structs.replace(self.made(node, Type.BOOLEAN, [value], fine), end=word.end)

    def like(self, value: Typed, pattern: Typed, escape: ConditionToken | None) -> Typed:
        """LIKE, with ESCAPE or without."""
        fine = self.demand([value], Type.TEXT, _COMPARED_LIKE())
        written = pattern.node.value if isinstance(pattern.node, nodes.Literal) else None
        sign = None if escape is None else escape.text
        if not isinstance(written, str):
            if not pattern.broken:
                message = _LIKE_PATTERN()
                self.notes.add(pattern.start, pattern.end, message)
            return Typed(value.node, Type.BOOLEAN, value.start, pattern.end, broken=True)
        if escape is not None and len(escape.text) != 1:
            self.notes.add(escape.start, escape.end, _ESCAPE_ONE())
            sign, fine = None, False
        try:
            wild = sum(is_wild for _, is_wild in parts_of(written, sign))
        except ValueError as error:
            self.notes.add(pattern.start, pattern.end, _PATTERN_WHY(why=said_by(error)))
            wild = 0
        if wild > MOST_WILDCARDS:
            message = _WILDCARDS(most=MOST_WILDCARDS)
            self.notes.add(pattern.start, pattern.end, message)
        node = nodes.Like(value.node, written, sign)
        return self.made(node, Type.BOOLEAN, [value, pattern], fine)

    def chosen(self, branches: Sequence[tuple[Typed, Typed]], otherwise: Typed | None) -> Typed:
        """CASE; its results may be NULL."""
        fine = self.demand([when for when, _ in branches], Type.BOOLEAN, _AFTER_WHEN())
        results = [then for _, then in branches] + ([] if otherwise is None else [otherwise])
        known = [each for each in results if each.type is not None]
        fine &= self.alike(known, _CASE_RESULTS())
        parts = [each for branch in branches for each in branch]
        parts += [] if otherwise is None else [otherwise]
        kind = known[0].type if known else None
        if kind is None:
            if not any(each.broken for each in results):
                message = _CASE_NULL()
                self.notes.add(parts[0].start, parts[-1].end, message)
            kind, fine = Type.BOOLEAN, False
        node = nodes.Choose(
            tuple((when.node, then.node) for when, then in branches),
            nodes.Literal(None) if otherwise is None else otherwise.node,
            kind,
        )
        return self.made(node, kind, parts, fine)

    def call(self, function: ConditionToken, arguments: Sequence[Typed]) -> Typed:
        """A function with its arguments."""
        end = max([function.end + 1, *(each.end + 1 for each in arguments)])
        whole = Typed(nodes.Literal(None), None, function.start, end, broken=True)
        if function.text == LIST:
            message = _LIST_AFTER_IN()
            self.notes.add(function.start, function.end, message)
            return whole
        signature = SIGNATURES[function.text]
        kind = self._check_arguments(function, signature, arguments)
        if kind is None:
            return whole
        node = nodes.Call(function.text, tuple(each.node for each in arguments), kind)
        made = self.made(node, kind, arguments)
        return msgspec.structs.replace(made, start=function.start, end=end)

    def _check_arguments(
        self, function: ConditionToken, signature: Signature, arguments: Sequence[Typed]
    ) -> Type | None:
        """The type of the result, None when something does not fit."""
        name, count = function.text, len(arguments)
        if not signature.fewest <= count <= signature.most:
            few, most = signature.fewest, signature.most
            wanted = str(few) if few == most else _FEW_TO_MOST(few=few, most=most)
            phrase = _TAKES_ONE if wanted == "1" else _TAKES_VALUES
            message = phrase(name=name, wanted=wanted, count=count)
            self.notes.add(function.start, function.end, message)
            return None
        where = _TAKEN(name=name)
        if not signature.takes:
            fine = self.alike(arguments, where)
            kind = arguments[0].type
            if fine and kind not in signature.any_of:
                message = _NOT_TAKEN(name=name, kind=kind_of(arguments[0]))
                self.notes.add(arguments[0].start, arguments[0].end, message)
                return None
            return kind if fine else None
        fine = True
        for each, wanted_kind in zip(arguments, signature.takes, strict=True):
            fine &= self.demand([each], wanted_kind, where)
        if not fine:
            return None
        if name == "HAS" and not isinstance(arguments[1].node, nodes.Literal):
            message = _HAS_WORD()
            self.notes.add(arguments[1].start, arguments[1].end, message)
            return None
        return signature.gives

    def listed(self, value: Typed, function: ConditionToken, names: Sequence[Typed]) -> Typed:
        """IN LIST('name')."""
        end = max([function.end, *(each.end + 1 for each in names)])
        whole = Typed(nodes.Literal(None), Type.BOOLEAN, value.start, end, broken=True)
        name = names[0].node.value if names and isinstance(names[0].node, nodes.Literal) else None
        if len(names) != 1 or not isinstance(name, str) or LIST_NAME.fullmatch(name) is None:
            message = _LIST_NAME()
            self.notes.add(function.start, end, message)
            return whole
        if value.broken:
            return whole
        signal = value.node
        if not isinstance(signal, nodes.Signal) or signal.type is not Type.TEXT:
            message = _LIST_TEXT()
            self.notes.add(value.start, value.end, message)
            return whole
        if not kinds_for(signal.name):
            message = _LIST_NEVER(name=signal.name)
            self.notes.add(value.start, value.end, message)
            return whole
        self.lists.setdefault((signal.name, name))
        made = self.made(nodes.Listed(signal, name), Type.BOOLEAN, [value])
        return msgspec.structs.replace(made, end=end)
