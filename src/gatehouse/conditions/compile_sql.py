"""Turns conditions into DuckDB's SQL: this is how a backtest asks them, over many rows at once.

The result must be what `conditions.compile_python` says of each row. DuckDB works with doubles
that can be infinite or not a number; here such results are NULL. A sum that is not finite stays so
to its end, so only the end of a sum and divisors need a check.
"""

from typing import Final

from gatehouse.conditions import nodes
from gatehouse.conditions.nodes import Condition, Node, Type
from gatehouse.conditions.patterns import plain_form
from gatehouse.conditions.signatures import COMPARISONS, SIGNATURES, SUMS

_SMALL_LETTERS: Final = "'abcdefghijklmnopqrstuvwxyz'"
_CAPITALS: Final = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"

_TYPES: Final = {
    Type.NUMBER: "DOUBLE",
    Type.TEXT: "VARCHAR",
    Type.BOOLEAN: "BOOLEAN",
    Type.WORDS: "VARCHAR[]",
}

# Only words of these tables are put into SQL, whatever a tree says.
_OPERATORS: Final = {sign: sign for sign in (*COMPARISONS, *SUMS)}
_SAME_NAME: Final = {name: name.lower() for name in SIGNATURES}


def to_sql(condition: Condition) -> str:
    """A boolean expression over columns that are named like the signals."""
    return _sql(condition.root)


def column_type(kind: Type) -> str:
    """The type that a signal's column must have."""
    return _TYPES[kind]


def listed_column(signal: str, list_name: str) -> str:
    """The name of the column that tells whether a signal's value is on a list."""
    return f"{signal} IN LIST {list_name}"


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _literal(value: bool | float | str | None) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return _text(value)
    written = repr(float(value))
    # Without an exponent it would be a decimal number, which is rounded differently.
    return f"({written})" if "e" in written else f"({written}e0)"


def _sql(node: Node) -> str:
    match node:
        case nodes.Literal(value):
            return _literal(value)
        case nodes.Signal(name, _):
            return quoted(name)
        case nodes.Compare(operator, left, right):
            return f"({_sql(left)} {_OPERATORS[operator]} {_sql(right)})"
        case nodes.Both(parts) | nodes.Either(parts):
            word = " AND " if isinstance(node, nodes.Both) else " OR "
            return "(" + word.join(map(_sql, parts)) + ")"
        case nodes.Not(condition):
            return f"(NOT {_sql(condition)})"
        case nodes.OneOf(value, options):
            return f"({_sql(value)} IN ({', '.join(map(_sql, options))}))"
        case nodes.Listed(signal, name):
            return quoted(listed_column(signal.name, name))
        case nodes.Like():
            return _like(node)
        case nodes.IsNull(value):
            return f"({_sql(value)} IS NULL)"
        case nodes.Choose(branches, otherwise, _):
            cases = "".join(f" WHEN {_sql(when)} THEN {_sql(then)}" for when, then in branches)
            return f"(CASE{cases} ELSE {_sql(otherwise)} END)"
        case nodes.Arithmetic():
            return _finite(_sum(node))
        case nodes.Call():
            return _call(node)


def _like(node: nodes.Like) -> str:
    plain = plain_form(node)
    if isinstance(plain, str):
        return f"regexp_full_match({_sql(node.value)}, {_text(plain)})"
    return _sql(plain)


def _sum(node: Node) -> str:
    if not isinstance(node, nodes.Arithmetic):
        return _sql(node)
    # Something divided by what is infinite would be finite again, so `_sql` guards a divisor.
    right = _sql(node.right) if node.operator in "/%" else _sum(node.right)
    return f"({_sum(node.left)} {_OPERATORS[node.operator]} {right})"


def _finite(number: str) -> str:
    """The number unless it is infinite or none, written once: twice would double at each level."""
    return f"list_filter([{number}], lambda number: isfinite(number))[1]"


def _call(node: nodes.Call) -> str:
    arguments = [_sql(each) for each in node.arguments]
    given = ", ".join(arguments)
    match node.function:
        case "LOWER":
            return f"translate({given}, {_CAPITALS}, {_SMALL_LETTERS})"
        case "UPPER":
            return f"translate({given}, {_SMALL_LETTERS}, {_CAPITALS})"
        case "LENGTH":
            return f"CAST(length({given}) AS DOUBLE)"
        case "NULLIF":
            # DuckDB's own repeats its first argument, which would double at each level.
            pair = "{{'kept': {}, 'unwanted': {}}}".format(*arguments)
            wanted = "lambda pair: (pair.kept = pair.unwanted) IS NOT TRUE"
            return f"list_filter([{pair}], {wanted})[1].kept"
        case "HAS":
            return f"list_contains({given})"
    # All others have the same name in DuckDB.
    return f"{_SAME_NAME[node.function]}({given})"
