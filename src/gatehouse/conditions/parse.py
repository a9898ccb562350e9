"""Reads the text of a condition into a checked tree, or tells every mistake at its place.

The text is SQL as DuckDB writes it, cut down to one boolean expression over signals. `scanning`
refuses what has no place in a condition; sqlglot then only settles which operator binds tighter.
Every value and function name goes to the parser as a number that leads back to its piece of the
text, so no word of the author's can mean anything to the parser. A running server never imports
this module.
"""

from typing import Final, NoReturn

from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.tokenizer_core import Token, TokenType

from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.check import MOST_NODES, TooLarge, TypeChecker, Typed
from gatehouse.conditions.mistakes import ConditionRefused, Mistake, Notes
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.conditions.scan import (
    DEEPEST_CONDITION,
    LIST,
    LONGEST_CONDITION,
    Piece,
    TokenKind,
    scan,
    too_deep,
)

__all__ = [
    "DEEPEST_CONDITION",
    "LONGEST_CONDITION",
    "MOST_NODES",
    "ConditionRefused",
    "Mistake",
    "read_condition",
]

_COMPARISONS: Final[dict[type[exp.Expression], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_SUMS: Final[dict[type[exp.Expression], str]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
# Whatever else the parser says about a part would change its meaning behind our back.
_UNDERSTOOD: Final = frozenset(
    {"this", "expression", "expressions", "field", "low", "high", "ifs", "true", "default"}
    | {"negate", "typed", "safe", "quoted", "is_string"}
)
_NO_PLACE: Final = "this cannot be used in a condition"
# Long sums are flat to whoever reads them; a chain of divisions is not worth an exception.
_FLAT_SUMS: Final = (exp.Add, exp.Sub, exp.Mul)


def read_condition(text: str, catalogue: Catalogue) -> Condition:
    """The checked tree of a condition; ConditionRefused tells all that is wrong with it."""
    notes = Notes(text)
    pieces = scan(text, notes)
    tree = _parsed(text, pieces, notes)
    reader = _ConditionReader(pieces, TypeChecker(catalogue, notes), notes)
    try:
        root = reader.read(tree, 0)
    except (TooLarge, RecursionError) as error:
        notes.add(0, len(text), str(error) if isinstance(error, TooLarge) else too_deep())
    else:
        reader.typist.demand([root], Type.BOOLEAN, "a condition")
    notes.refuse_if_any()
    return Condition(
        text=text,
        root=root.node,
        signals=tuple(reader.typist.signals),
        lists=tuple(reader.typist.lists),
    )


def _parsed(text: str, pieces: list[Piece], notes: Notes) -> exp.Expression:
    tokens = [_token(place, piece, pieces) for place, piece in enumerate(pieces)]
    parser = Dialect.get_or_raise("duckdb").parser(error_level=ErrorLevel.IMMEDIATE)
    try:
        tree = parser.parse_into(exp.Condition, tokens, text)[0]
    except ParseError as error:
        start, end = _place(error, pieces)
        notes.add(start, end, _friendly(error))
    except RecursionError:
        notes.add(0, len(text), too_deep())
    notes.refuse_if_any()
    assert isinstance(tree, exp.Expression)
    return tree


def _token(place: int, piece: Piece, pieces: list[Piece]) -> Token:
    """The piece as the parser is to see it: values and functions only by their number."""
    kind, text = piece.token.token_type, piece.token.text
    if piece.kind is TokenKind.FUNCTION:
        kind, text = TokenType.VAR, f"f{place}"
    elif piece.kind is TokenKind.TEXT and place and pieces[place - 1].text == "ESCAPE":
        kind, text = TokenType.STRING, str(place)
    elif piece.kind is not TokenKind.SIGN:
        kind, text = TokenType.IDENTIFIER, str(place)
    original = piece.token
    return Token(kind, text, original.line, original.col, original.start, original.end)


def _place(error: ParseError, pieces: list[Piece]) -> tuple[int, int]:
    where = error.errors[0] if error.errors else {}
    for piece in pieces:
        if (piece.token.line, piece.token.col) == (where.get("line"), where.get("col")):
            return piece.start, piece.end
    return pieces[0].start, pieces[-1].end


def _friendly(error: ParseError) -> str:
    said = str(error.errors[0].get("description", "")) if error.errors else ""
    if "high" in said:
        return "BETWEEN needs two values: BETWEEN 1 AND 5"
    if "Escape" in said:
        return "ESCAPE needs one character in quotes after it"
    if "CASE" in said or "THEN" in said:
        return "CASE is written CASE WHEN condition THEN value ELSE value END"
    return "this does not fit here; look for a missing operator, value or parenthesis"


class _ConditionReader:
    """Walks what the parser made and has every part checked."""

    def __init__(self, pieces: list[Piece], typist: TypeChecker, notes: Notes) -> None:
        self.typist = typist
        self._pieces = pieces
        self._notes = notes

    def read(self, tree: exp.Expression, depth: int) -> Typed:
        """The checked tree of one part."""
        if depth > DEEPEST_CONDITION:
            raise TooLarge(too_deep())
        if any(value for name, value in tree.args.items() if name not in _UNDERSTOOD):
            self._refuse(tree, _NO_PLACE)
        done = self._read(tree, depth + 1)
        return self.typist.negated(done) if tree.args.get("negate") else done

    def _read(self, tree: exp.Expression, depth: int) -> Typed:
        match tree:
            case exp.Paren():
                return self.read(tree.this, depth - 1)
            case exp.Column():
                return self.typist.value(self._pieces[int(tree.name)])
            case exp.And() | exp.Or():
                parts = [self.read(each, depth) for each in _spine(tree)]
                return self.typist.joined(parts, both=isinstance(tree, exp.And))
            case exp.Not():
                return self.typist.negated(self.read(tree.this, depth))
            case exp.Neg():
                return self.typist.opposite(self.read(tree.this, depth))
            case exp.Is():
                return self._is(tree, depth)
            case exp.In():
                return self._in(tree, depth)
            case exp.Between():
                value, low, high = (
                    self.read(tree.args[name], depth) for name in ("this", "low", "high")
                )
                return self.typist.between(value, low, high)
            case exp.Like() | exp.Escape():
                return self._like(tree, depth)
            case exp.Case():
                return self._case(tree, depth)
            case exp.Anonymous():
                piece = self._pieces[int(str(tree.this)[1:])]
                return self.typist.call(
                    piece, [self.read(each, depth) for each in tree.expressions]
                )
        return self._binary(tree, depth)

    def _binary(self, tree: exp.Expression, depth: int) -> Typed:
        if type(tree) in _COMPARISONS:
            left, right = self.read(tree.this, depth), self.read(tree.expression, depth)
            return self.typist.compared(_COMPARISONS[type(tree)], left, right)
        if type(tree) not in _SUMS:
            self._refuse(tree, _NO_PLACE)
        rest: list[exp.Expression] = []
        left_most = tree
        while type(left_most) in _SUMS and (left_most is tree or isinstance(left_most, _FLAT_SUMS)):
            rest.append(left_most)
            left_most = left_most.this
        done = self.read(left_most, depth)
        for each in reversed(rest):
            done = self.typist.summed(_SUMS[type(each)], done, self.read(each.expression, depth))
        return done

    def _is(self, tree: exp.Is, depth: int) -> Typed:
        value = self.read(tree.this, depth)
        column = tree.expression
        piece = self._pieces[int(column.name)] if isinstance(column, exp.Column) else None
        if piece is None or piece.kind is not TokenKind.WORD:
            start, end = self._extent(tree.expression)
            self._notes.add(start, end, "after IS comes NULL, TRUE or FALSE")
            return Typed(value.node, None, value.start, end, broken=True)
        return self.typist.known_as(value, piece)

    def _in(self, tree: exp.In, depth: int) -> Typed:
        value = self.read(tree.this, depth)
        field = tree.args.get("field")
        if isinstance(field, exp.Anonymous):
            function = self._pieces[int(str(field.this)[1:])]
            names = [self.read(each, depth) for each in field.expressions]
            if function.text == LIST:
                return self.typist.listed(value, function, names)
        if field is not None or tree.args.get("query") is not None or not tree.expressions:
            start, end = self._extent(tree)
            message = "after IN come one or more values in parentheses, or LIST('name')"
            self._notes.add(start, end, message)
            return Typed(value.node, Type.BOOLEAN, start, end, broken=True)
        return self.typist.one_of(value, [self.read(each, depth) for each in tree.expressions])

    def _like(self, tree: exp.Expression, depth: int) -> Typed:
        escape: Piece | None = None
        like = tree
        if isinstance(tree, exp.Escape):
            like = tree.this
            escape = self._pieces[int(tree.expression.name)]
        if not isinstance(like, exp.Like):
            self._refuse(tree, "ESCAPE can only follow a LIKE")
        value, pattern = self.read(like.this, depth), self.read(like.expression, depth)
        done = self.typist.like(value, pattern, escape)
        return self.typist.negated(done) if like is not tree and like.args.get("negate") else done

    def _case(self, tree: exp.Case, depth: int) -> Typed:
        subject = None if tree.this is None else self.read(tree.this, depth)
        branches: list[tuple[Typed, Typed]] = []
        for branch in tree.args["ifs"]:
            when, then = self.read(branch.this, depth), self.read(branch.args["true"], depth)
            if subject is not None:
                when = self.typist.compared("=", subject, when)
            branches.append((when, then))
        default = tree.args.get("default")
        return self.typist.chosen(branches, default and self.read(default, depth))

    def _refuse(self, tree: exp.Expression, message: str) -> NoReturn:
        self._notes.add(*self._extent(tree), message)
        self._notes.refuse_if_any()
        raise AssertionError("a mistake was noted")

    def _extent(self, tree: exp.Expression) -> tuple[int, int]:
        """From where to where a part goes, as far as its values tell."""
        places = [int(each.name) for each in tree.find_all(exp.Column)]
        pieces = [self._pieces[place] for place in places] or self._pieces
        return min(each.start for each in pieces), max(each.end for each in pieces)


def _spine(tree: exp.Expression) -> list[exp.Expression]:
    """The parts of a chain of ANDs or ORs, without recursion: chains can be long."""
    parts: list[exp.Expression] = []
    kind = type(tree)
    waiting: list[exp.Expression] = [tree]
    while waiting:
        each = waiting.pop()
        if type(each) is kind:
            waiting += [each.expression, each.this]
        else:
            parts.append(each)
    return parts
