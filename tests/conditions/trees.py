"""Makes conditions of every kind, writes them as text, and the rows to ask them of."""

from typing import Any

from hypothesis import strategies as st

from gatehouse.conditions.catalogue import Catalogue
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

INPUTS = {"score": Type.NUMBER, "note": Type.TEXT, "member": Type.BOOLEAN}
CATALOGUE = Catalogue(INPUTS)

NUMBERS = ("order.amount", "velocity.card.count_1h", "custom.score")
TEXTS = ("ip.organisation", "email.domain", "custom.note")
BOOLEANS = ("ip.tor", "card.prepaid", "custom.member")
WORDS = ("sentry.reasons", "rules.matched")
LISTS = (("email.domain", "rivals"), ("custom.note", "odd-notes"))

SOME_NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 7.0, 0.1, 100.0, 0.49999999999999994),
    *(1e-300, 5e-324, 4503599627370497.5, 9007199254740991.0, -9007199254740991.0),
)
HUGE_NUMBERS = (1e300, -1e300, 1.7976931348623157e308, 2.2250738585072014e-308)
SOME_TEXTS = (
    *("", "a", "A", "b", "ab", "aB", "abc", "a%b", "a_b", "%", "_", "a\\b", "é", "É", "e\u0301"),
    *(
        "ß",
        "SS",
        "İ",
        "ı",
        "ſ",
        "K",
        "🙂",
        "a🙂b",
        "👩‍🚀",
        "it's",
        '"q"',
        "a\nb",
        "\U0010ffff",
        "ﬀ",
    ),
    *("\uffff", "日本", " a ", "a.b", "(a)", "a*", "[a]", "^a$", "--a", "x" * 40),
)
SOME_WORDS = ("a", "é", "ip_tor", "it's", "")


def _literals(values: tuple[Any, ...]) -> st.SearchStrategy[Node]:
    return st.sampled_from([Literal(value) for value in values])


def _signals(names: tuple[str, ...], kind: Type) -> st.SearchStrategy[Node]:
    return st.sampled_from([Signal(name, kind) for name in names])


def _patterns() -> st.SearchStrategy[tuple[str, str | None]]:
    letters = st.sampled_from(
        [*"ab%_%_", "é", "🙂", ".", "*", "\\", "'", "(", "$", "!!", "!%", "!a"]
    )
    written = st.lists(letters, max_size=6).map("".join)
    return st.tuples(written, st.just("!")) | written.map(lambda text: (text, None))


class Trees:
    """Strategies for the values of each type; `depth` is how far they may nest."""

    def __init__(self, depth: int) -> None:
        self.numbers = self._numbers(depth)
        self.texts = self._texts(depth)
        self.conditions = self._conditions(depth)

    def _choices(self, inner: "Trees", kind: Type) -> st.SearchStrategy[Node]:
        values = {
            Type.NUMBER: inner.numbers,
            Type.TEXT: inner.texts,
            Type.BOOLEAN: inner.conditions,
        }[kind]
        branches = st.lists(st.tuples(inner.conditions, values), min_size=1, max_size=2).map(tuple)
        otherwise = values | st.just(Literal(None))
        some = st.lists(values, min_size=2, max_size=3).map(tuple)
        several = ["COALESCE"] if kind is Type.BOOLEAN else ["COALESCE", "LEAST", "GREATEST"]
        return st.one_of(
            st.builds(Choose, branches, otherwise, st.just(kind)),
            st.builds(Call, st.sampled_from(several), some, st.just(kind)),
            st.builds(Call, st.just("NULLIF"), st.tuples(values, values), st.just(kind)),
        )

    def _numbers(self, depth: int) -> st.SearchStrategy[Node]:
        known = _signals(NUMBERS, Type.NUMBER)
        leaves = known | known | _literals(SOME_NUMBERS) | _literals(SOME_NUMBERS + HUGE_NUMBERS)
        if depth == 0:
            return leaves
        inner = Trees(depth - 1)
        whole = st.sampled_from(["ABS", "FLOOR", "CEIL", "ROUND"])
        kind = st.just(Type.NUMBER)
        return st.one_of(
            leaves,
            st.builds(Arithmetic, st.sampled_from("+-*/%"), inner.numbers, inner.numbers),
            st.builds(Call, whole, st.tuples(inner.numbers), kind),
            st.builds(Call, st.just("LENGTH"), st.tuples(inner.texts), kind),
            self._choices(inner, Type.NUMBER),
        )

    def _texts(self, depth: int) -> st.SearchStrategy[Node]:
        known = _signals(TEXTS, Type.TEXT)
        leaves = known | known | _literals(tuple(each for each in SOME_TEXTS))
        if depth == 0:
            return leaves
        inner = Trees(depth - 1)
        cases = st.sampled_from(["LOWER", "UPPER"])
        return st.one_of(
            leaves,
            st.builds(Call, cases, st.tuples(inner.texts), st.just(Type.TEXT)),
            self._choices(inner, Type.TEXT),
        )

    def _conditions(self, depth: int) -> st.SearchStrategy[Node]:
        looked_up: list[Node] = [Listed(Signal(signal, Type.TEXT), name) for signal, name in LISTS]
        leaves = _signals(BOOLEANS, Type.BOOLEAN) | st.sampled_from([*looked_up, Literal(True)])
        if depth == 0:
            return leaves
        inner = Trees(depth - 1)
        return st.one_of(
            leaves, self._comparisons(inner), self._questions(inner), self._logic(inner)
        )

    def _comparisons(self, inner: "Trees") -> st.SearchStrategy[Node]:
        operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
        equality = st.sampled_from(["=", "<>"])
        kinds = (inner.numbers, inner.texts, inner.conditions)
        return st.one_of(
            st.builds(Compare, operators, inner.numbers, inner.numbers),
            st.builds(Compare, operators, inner.texts, inner.texts),
            st.builds(Compare, equality, inner.conditions, inner.conditions),
            *(
                st.builds(OneOf, each, st.lists(each, min_size=1, max_size=3).map(tuple))
                for each in kinds
            ),
            st.builds(
                OneOf,
                inner.texts,
                st.lists(_literals(SOME_TEXTS), min_size=1, max_size=4).map(tuple),
            ),
        )

    def _questions(self, inner: "Trees") -> st.SearchStrategy[Node]:
        boolean = st.just(Type.BOOLEAN)
        parts = st.sampled_from(["STARTS_WITH", "ENDS_WITH", "CONTAINS"])
        asked = st.tuples(_signals(WORDS, Type.WORDS), _literals(SOME_WORDS))
        return st.one_of(
            st.tuples(inner.texts, _patterns()).map(_like),
            st.builds(Call, parts, st.tuples(inner.texts, inner.texts), boolean),
            st.builds(Call, st.just("HAS"), asked, boolean),
            st.builds(IsNull, inner.numbers | inner.texts | inner.conditions),
            st.builds(IsNull, _signals(WORDS, Type.WORDS)),
        )

    def _logic(self, inner: "Trees") -> st.SearchStrategy[Node]:
        several = st.lists(inner.conditions, min_size=2, max_size=3).map(tuple)
        known = inner.conditions.map(
            lambda node: Call("COALESCE", (node, Literal(False)), Type.BOOLEAN)
        )
        return st.one_of(
            st.builds(Both, several),
            st.builds(Either, several),
            st.builds(Not, inner.conditions),
            known,
            self._choices(inner, Type.BOOLEAN),
        )


def _like(given: tuple[Node, tuple[str, str | None]]) -> Node:
    value, (pattern, escape) = given
    return Like(value, pattern, escape)


def _plain(like: Like) -> bool:
    return " LIKE " not in written(like.value)


def written(node: Node) -> str:
    """The text of a tree, with parentheses wherever they could matter."""
    match node:
        case Literal(None):
            return "NULL"
        case Literal(bool(value)):
            return str(value).lower()
        case Literal(str(value)):
            return "'" + value.replace("'", "''") + "'"
        case Literal(value):
            return repr(value)
        case Signal(name, _):
            return name
        case Compare(operator, left, right) | Arithmetic(operator, left, right):
            return f"({written(left)} {operator} {written(right)})"
        case Both(parts):
            return "(" + " AND ".join(map(written, parts)) + ")"
        case Either(parts):
            return "(" + " or ".join(map(written, parts)) + ")"
        case Not(OneOf(value, options)):
            return f"({written(value)} NOT IN ({', '.join(map(written, options))}))"
        case Not(Listed(signal, name)):
            return f"({signal.name} NOT IN LIST('{name}'))"
        case Not(IsNull(value)):
            return f"({written(value)} IS NOT NULL)"
        case Not(Like() as like):
            return (
                written(like).replace(" LIKE ", " NOT LIKE ", 1)
                if _plain(like)
                else f"(NOT {written(like)})"
            )
        case Not(condition):
            return f"(NOT {written(condition)})"
        case OneOf(value, options):
            return f"({written(value)} IN ({', '.join(map(written, options))}))"
        case Listed(signal, name):
            return f"({signal.name} IN LIST('{name}'))"
        case Like(value, pattern, escape):
            ending = "" if escape is None else f" ESCAPE '{escape}'"
            return f"({written(value)} LIKE {written(Literal(pattern))}{ending})"
        case IsNull(value):
            return f"({written(value)} IS NULL)"
        case Choose(branches, otherwise, _):
            cases = " ".join(f"WHEN {written(a)} THEN {written(b)}" for a, b in branches)
            return f"CASE {cases} ELSE {written(otherwise)} END"
        case Call(function, arguments, _):
            return f"{function.lower()}({', '.join(map(written, arguments))})"
