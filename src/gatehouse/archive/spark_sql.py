"""Turns statements of DuckDB's SQL into Spark's, so that both engines find the same.

sqlglot knows both dialects. What it leaves, because the engines mean different things by the same
words, is put right here.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.generator import Generator
from sqlglot.generators.spark import SparkGenerator

_DUCKDB: Final = "duckdb"
_SPARK: Final = "spark"
_WHOLE: Final = 2**52
"""From here on, every number of type DOUBLE is whole."""
_DEEPEST: Final = 50_000
"""How deep Python may go: a condition of 200 parts within parts goes deeper than it usually may."""

_CREATED: Final = re.compile(r"CREATE TEMP (TABLE|VIEW) (\w+) AS ", re.ASCII)


def _rounding(function: str) -> Callable[[Generator, exp.Expression], str]:
    """Spark's FLOOR and CEIL give integers, which cannot hold every whole number."""

    def write(generator: Generator, node: exp.Expression) -> str:
        number = generator.sql(node, "this")
        rounded = f"CAST({function}(number) AS DOUBLE)"
        choice = f"CASE WHEN ABS(number) < {_WHOLE} THEN {rounded} ELSE number END"
        return f"TRANSFORM(ARRAY({number}), number -> {choice})[0]"

    return write


def _place_in(generator: Generator, node: exp.Expression) -> str:
    """Spark counts from zero; sqlglot knows that only of places that are written as numbers."""
    [place] = node.expressions
    written: str = generator.bracket_sql(node)  # type: ignore[arg-type]  # only of brackets
    if isinstance(place, exp.Column):
        return f"{generator.sql(node, 'this')}[{generator.sql(place)} - 1]"
    return written


def _function(generator: Generator, node: exp.Expression) -> str:
    """A function that sqlglot does not know."""
    if node.name.lower() == "isfinite":
        # Only of a finite number, the difference from itself is zero.
        number = generator.sql(node.expressions[0])
        return f"({number} - {number} = 0e0)"
    written: str = generator.anonymous_sql(node)  # type: ignore[arg-type]  # only of functions
    return written


def _whole_match(generator: Generator, node: exp.Expression) -> str:
    """Java's expressions find parts of a text, and `$` matches before a last line break."""
    whole = exp.Literal.string(rf"\A(?:{node.expression.name})\z")
    return f"REGEXP_LIKE({generator.sql(node, 'this')}, {generator.sql(whole)})"


class _SparkDialect(Spark):
    """Spark's SQL, in which everything means what it means to DuckDB."""

    class Generator(SparkGenerator):
        """Writes statements."""

        TRANSFORMS = {  # noqa: RUF012  # as sqlglot declares it
            **SparkGenerator.TRANSFORMS,
            exp.Floor: _rounding("FLOOR"),
            exp.Ceil: _rounding("CEIL"),
            exp.Bracket: _place_in,
            exp.Anonymous: _function,
            exp.RegexpFullMatch: _whole_match,
        }


class Created(NamedTuple):
    """A table that a statement makes of a query."""

    name: str
    query: str
    """In Spark's SQL."""
    kept: bool
    """Whether its rows are to be kept, because they are asked for several times."""


def created_by(statement: str) -> Created | None:
    """The table that a statement of DuckDB makes; None for a query."""
    found = _CREATED.match(statement)
    if found is None:
        return None
    return Created(found[2], to_spark(statement[found.end() :]), kept=found[1] == "TABLE")


def to_spark(query: str) -> str:
    """A query of DuckDB in Spark's SQL."""
    with _deep():
        return sqlglot.parse_one(query, read=_DUCKDB).sql(dialect=_SparkDialect)


def spark_type(kind: str) -> str:
    """A type of DuckDB in Spark's words."""
    return exp.DataType.build(kind, dialect=_DUCKDB).sql(dialect=_SPARK)


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
