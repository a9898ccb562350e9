"""Parses the text of a condition into a checked tree, or reports every mistake at its position.

The text is SQL as DuckDB writes it, cut down to one boolean expression over signals. The parser
climbs over operators by how tightly they bind, as DuckDB does, and makes known nodes only, so SQL
without a place in a condition has no tree to become. A running server never imports this module.
"""

from typing import Final

import msgspec

from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.check import TypeChecker
from gatehouse.conditions.mistakes import ConditionRefused, Mistake, Notes
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.conditions.token_stream import TokenStream
from gatehouse.conditions.tokens import LIST, LONGEST_CONDITION, TokenKind, tokenize
from gatehouse.conditions.typed import MOST_NODES, TooLarge, Typed
from gatehouse.core.wording.sentences import Phrase, said_by

__all__ = [
    "DEEPEST_CONDITION",
    "LONGEST_CONDITION",
    "MOST_NODES",
    "ConditionRefused",
    "Mistake",
    "read_condition",
]

_TOO_DEEP: Final = Phrase(
    "condition.too_deep",
    "a condition can be nested {most} levels deep at most; split it into several rules",
)
_MISSING_BEFORE: Final = Phrase(
    "condition.missing_before", "a signal, a value or a function is missing before {found}"
)
_NOT_FOLLOWED: Final = Phrase(
    "condition.not_followed", "after NOT comes IN, LIKE or BETWEEN here, not {found}"
)
_IS_FOLLOWED: Final = Phrase(
    "condition.is_followed", "after IS comes NULL, TRUE or FALSE, not {found}"
)
_IN_FOLLOWED: Final = Phrase(
    "condition.in_followed", "after IN come values in parentheses or LIST('name'), not {found}"
)
_BETWEEN_TWO: Final = Phrase("condition.between_two", "BETWEEN needs two values: BETWEEN 1 AND 5")
_ESCAPE_NEEDS: Final = Phrase(
    "condition.escape_needs", "ESCAPE needs one character in quotes after it"
)

_IN_EMPTY: Final = Phrase(
    "condition.in_empty", "after IN come one or more values in parentheses, or LIST('name')"
)
_WHOLE: Final = Phrase("condition.whole", "a condition")

DEEPEST_CONDITION: Final = 24

# How tightly operators bind. An operand to the right of one binds tighter by one.
_OR, _AND, _EQUAL, _ORDERED, _RANGE, _SUM, _PRODUCT = range(1, 8)
_BINDING: Final = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(("=", "<>", "IS"), _EQUAL),
    **dict.fromkeys(("<", "<=", ">", ">="), _ORDERED),
    **dict.fromkeys(("NOT", "IN", "BETWEEN", "LIKE"), _RANGE),
    **dict.fromkeys(("+", "-"), _SUM),
    **dict.fromkeys(("*", "/", "%"), _PRODUCT),
}
_COMPARISONS: Final = frozenset({"=", "<>", "<", "<=", ">", ">="})
_VALUES: Final = frozenset({TokenKind.NAME, TokenKind.NUMBER, TokenKind.TEXT, TokenKind.CONSTANT})
# A long sum counts as one level; a chain of divisions is not worth an exception.
_FLAT: Final = frozenset({"+", "-", "*"})


def read_condition(text: str, catalogue: Catalogue) -> Condition:
    """The checked tree of a condition; ConditionRefused names everything that is wrong with it."""
    notes = Notes(text)
    tokens = tokenize(text, notes)
    checker = TypeChecker(catalogue, notes)
    try:
        root = _Parser(TokenStream(text, tokens), checker).parse()
    except (TooLarge, RecursionError) as error:
        notes.add(0, len(text), said_by(error) if isinstance(error, TooLarge) else _too_deep())
    else:
        checker.demand([root], Type.BOOLEAN, _WHOLE())
    notes.refuse_if_any()
    return Condition(
        text=text,
        root=root.node,
        signals=tuple(checker.signals),
        lists=tuple(checker.lists),
    )


def _too_deep() -> str:
    return _TOO_DEEP(most=DEEPEST_CONDITION)


class _Parser:
    """Goes through the tokens once and has every part checked as soon as it is complete."""

    def __init__(self, tokens: TokenStream, checker: TypeChecker) -> None:
        self._tokens = tokens
        self._checker = checker
        self._prefixes = 0
        """How many NOTs and minus signs stand around the current token."""

    def parse(self) -> Typed:
        """The whole condition."""
        root = self._expression(_OR)
        if self._tokens.current.kind is not TokenKind.END:
            self._tokens.refuse_operator()
        return root

    def _expression(self, least: int, run: int = 0) -> Typed:
        """An operand with the operators behind it that bind this tightly, after `run` prefixes."""
        left = self._operand(run)
        flat = False
        while self._tokens.current.kind is TokenKind.SYMBOL:
            operator = self._tokens.current.text
            binding = _BINDING.get(operator, 0)
            if binding < least:
                break
            self._tokens.advance()
            if binding <= _AND:
                left = self._chain(operator, left)
            elif operator in _COMPARISONS:
                right = self._expression(binding + 1)
                left = self._level(self._checker.compared(operator, left, right), left, right)
            elif binding >= _SUM:
                right = self._expression(binding + 1)
                made = self._checker.summed(operator, left, right)
                left = self._with_depth(made, max(left.depth + (not flat), right.depth + 1))
            else:
                left = self._predicate(operator, left)
            flat = operator in _FLAT
        return left

    def _chain(self, operator: str, first: Typed) -> Typed:
        """AND or OR over all the parts of its chain."""
        parts = [first, self._expression(_BINDING[operator] + 1)]
        while self._tokens.take(operator):
            parts.append(self._expression(_BINDING[operator] + 1))
        return self._level(self._checker.joined(parts, both=operator == "AND"), *parts)

    def _operand(self, run: int) -> Typed:
        """A value, a call, brackets or CASE; or one of these behind a prefix."""
        token = self._tokens.current
        prefixed = self._tokens.at("NOT", "-", "+")
        if (
            run + prefixed + self._tokens.nesting > DEEPEST_CONDITION
            or self._prefixes > DEEPEST_CONDITION
        ):
            self._tokens.refuse(token, _TOO_DEEP, most=DEEPEST_CONDITION)
        if token.kind in _VALUES:
            return self._checker.value(self._tokens.advance())
        if token.kind is TokenKind.FUNCTION:
            self._tokens.advance()
            arguments = self._values()
            return self._level(self._checker.call(token, arguments), *arguments)
        if prefixed:
            return self._prefixed(run + 1)
        if self._tokens.at("CASE"):
            return self._case()
        if not self._tokens.at("("):
            self._tokens.refuse_here(_MISSING_BEFORE)
        self._tokens.enter(with_commas=False)
        inner = self._expression(_OR)
        self._tokens.leave(")")
        return inner

    def _prefixed(self, run: int) -> Typed:
        """What follows a prefix: NOT takes in comparisons, a sign does not."""
        operator = self._tokens.advance().text
        if operator == "+":
            return self._operand(run)
        self._prefixes += 1
        part = self._expression(_EQUAL, run) if operator == "NOT" else self._operand(run)
        self._prefixes -= 1
        made = self._checker.negated(part) if operator == "NOT" else self._checker.opposite(part)
        return self._level(made, part)

    def _values(self) -> list[Typed]:
        """Values in parentheses with commas between them."""
        self._tokens.enter(with_commas=True)
        values = []
        if not self._tokens.at(")"):
            values.append(self._expression(_OR))
            while self._tokens.take(","):
                values.append(self._expression(_OR))
        self._tokens.leave(")")
        return values

    def _case(self) -> Typed:
        self._tokens.enter(with_commas=False)
        subject = None if self._tokens.at("WHEN") else self._expression(_OR)
        parts = [] if subject is None else [subject]
        branches: list[tuple[Typed, Typed]] = []
        while self._tokens.take("WHEN"):
            when = self._expression(_OR)
            if not self._tokens.take("THEN"):
                self._tokens.refuse_operator()
            then = self._expression(_OR)
            parts += [when, then]
            if subject is not None:
                when = self._checker.compared("=", subject, when)
            branches.append((when, then))
        if not branches:
            self._tokens.refuse_operator()
        default = self._expression(_OR) if self._tokens.take("ELSE") else None
        self._tokens.leave("END")
        parts += [] if default is None else [default]
        return self._level(self._checker.chosen(branches, default), *parts)

    def _predicate(self, operator: str, value: Typed) -> Typed:
        """IS, IN, BETWEEN and LIKE, with NOT or without."""
        if operator == "IS":
            return self._is(value)
        negated = operator == "NOT"
        if negated:
            if not self._tokens.at("IN", "LIKE", "BETWEEN"):
                self._tokens.refuse_here(_NOT_FOLLOWED)
            operator = self._tokens.advance().text
        if operator == "LIKE":
            made = self._like(value)
            # A NOT before LIKE is no level of its own.
            return self._with_depth(self._checker.negated(made), made.depth) if negated else made
        made = self._in(value) if operator == "IN" else self._between(value)
        return self._level(self._checker.negated(made), made) if negated else made

    def _is(self, value: Typed) -> Typed:
        negated = self._tokens.take("NOT")
        if self._tokens.current.kind is not TokenKind.CONSTANT:
            self._tokens.refuse_here(_IS_FOLLOWED)
        made = self._level(self._checker.known_as(value, self._tokens.advance()), value)
        return self._level(self._checker.negated(made), made) if negated else made

    def _in(self, value: Typed) -> Typed:
        if self._tokens.current.kind is TokenKind.FUNCTION and self._tokens.current.text == LIST:
            function = self._tokens.advance()
            names = self._values()
            return self._level(self._checker.listed(value, function, names), value, *names)
        if not self._tokens.at("("):
            self._tokens.refuse_here(_IN_FOLLOWED)
        options = self._values()
        if not options:
            message = _IN_EMPTY()
            self._checker.notes.add(value.start, value.end, message)
            return Typed(value.node, Type.BOOLEAN, value.start, value.end, broken=True)
        return self._level(self._checker.one_of(value, options), value, *options)

    def _between(self, value: Typed) -> Typed:
        low = self._expression(_SUM)
        if not self._tokens.take("AND"):
            self._tokens.refuse(self._tokens.current, _BETWEEN_TWO)
        high = self._expression(_SUM)
        return self._level(self._checker.between(value, low, high), value, low, high)

    def _like(self, value: Typed) -> Typed:
        pattern = self._expression(_SUM)
        escape = None
        if self._tokens.take("ESCAPE"):
            if self._tokens.current.kind is not TokenKind.TEXT:
                self._tokens.refuse_here(_ESCAPE_NEEDS)
            escape = self._tokens.advance()
        return self._level(self._checker.like(value, pattern, escape), value, pattern)

    def _level(self, made: Typed, *parts: Typed) -> Typed:
        """What was made, one level deeper than the deepest of its parts."""
        return self._with_depth(made, 1 + max((each.depth for each in parts), default=0))

    def _with_depth(self, made: Typed, depth: int) -> Typed:
        if depth > DEEPEST_CONDITION:
            raise TooLarge(_too_deep())
        return msgspec.structs.replace(made, depth=depth)
