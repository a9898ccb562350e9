"""The one promise of the language: a server and a backtest never disagree about a condition."""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatehouse.conditions.catalogue import SIGNALS, packed
from gatehouse.conditions.compile_python import compile_conditions
from gatehouse.conditions.compile_sql import column_type, listed_column, quoted, to_sql
from gatehouse.conditions.nodes import (
    Call,
    Compare,
    Condition,
    IsNull,
    Like,
    Literal,
    Node,
    Not,
    OneOf,
    Signal,
    Type,
)
from gatehouse.conditions.parse import read_condition
from tests.conditions.trees import (
    BOOLEANS,
    CATALOGUE,
    LISTS,
    NUMBERS,
    SOME_NUMBERS,
    SOME_TEXTS,
    SOME_WORDS,
    TEXTS,
    WORDS,
    Trees,
    written,
)

Row = dict[str, Any]

_ROWS = 60


class Rivals:
    """Lists that have every text of an odd length."""

    def has(self, name: str, value: str, at_ms: int) -> bool:
        return len(value) % 2 == (name == "rivals")


def _make_rows() -> list[Row]:
    chance = random.Random(20)
    kinds = {
        NUMBERS: SOME_NUMBERS,
        TEXTS: (*SOME_TEXTS, "a\0b", "\0", "\t"),
        BOOLEANS: (True, False),
        WORDS: tuple(list(chance.sample(SOME_WORDS, count)) for count in (0, 1, 2, 5)),
    }
    rows: list[Row] = [{}]
    for _ in range(_ROWS):
        row: Row = {}
        for names, values in kinds.items():
            for name in names:
                if chance.random() < 0.8:
                    value: Any = chance.choice(values)
                    whole = isinstance(value, float) and value.is_integer()
                    row[name] = int(value) if whole and chance.random() < 0.5 else value
        rows.append(row)
    return rows


ROWS = _make_rows()


@pytest.fixture(scope="module")
def table() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(":memory:", config={"threads": 1})
    columns: dict[str, str] = {}
    for name in (*NUMBERS, *TEXTS, *BOOLEANS, *WORDS):
        found = SIGNALS.get(name) or CATALOGUE.find(name)
        assert found is not None
        columns[name] = column_type(found.type)
    for signal, name in LISTS:
        columns[listed_column(signal, name)] = "BOOLEAN"
    described = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())
    connection.execute(f"CREATE TABLE requests (place INTEGER, {described})")
    marks = ", ".join("?" * (len(columns) + 1))
    for place, row in enumerate(ROWS):
        values = dict(row)
        for signal, name in LISTS:
            if signal in row:
                values[listed_column(signal, name)] = Rivals().has(name, row[signal], 0)
        connection.execute(
            f"INSERT INTO requests VALUES ({marks})",
            [place, *(values.get(name) for name in columns)],
        )
    yield connection
    connection.close()


def _condition(root: Node) -> Condition:
    return Condition("", root, ())


def _by_query(
    connection: duckdb.DuckDBPyConnection, conditions: Sequence[Condition]
) -> list[list[int]]:
    asked = ", ".join(map(to_sql, conditions))
    rows = connection.execute(f"SELECT {asked} FROM requests ORDER BY place").fetchall()
    return [[place for place, value in enumerate(row) if value is True] for row in rows]


def _by_server(conditions: Sequence[Condition]) -> list[list[int]]:
    matcher = compile_conditions(conditions)
    return [matcher(packed(row), Rivals(), 0) for row in ROWS]


CHEAP = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@CHEAP
@given(roots=st.lists(Trees(3).conditions, min_size=12, max_size=12))
def test_a_server_and_a_query_find_the_same_rows(
    table: duckdb.DuckDBPyConnection, roots: list[Node]
) -> None:
    # With its opposite and whether it is unknown, each condition is compared in all three values.
    conditions = [_condition(node) for root in roots for node in (root, Not(root), IsNull(root))]
    assert _by_server(conditions) == _by_query(table, conditions)


TRICKY = (
    "1 / (custom.score * 1e308 * 1e308) IS NULL",
    "7 % (custom.score * 1e308 * 1e308) >= 0",
    "LEAST(custom.score * 1e308 * 1e308, 5) = 5",
    "COALESCE(1 / (custom.score - custom.score), 8) = 8",
    "NULLIF(custom.score, custom.score) IS NULL AND NULLIF(custom.score, 1) >= 0",
    "-order.amount < order.amount OR -order.amount = order.amount",
    "ROUND(custom.score) <> FLOOR(custom.score + 0.5)",
    "CASE custom.note WHEN 'a' THEN 1 WHEN email.domain THEN 2 END = 2",
    "order.amount NOT BETWEEN custom.score AND 7",
    "(ip.tor = card.prepaid) IS NOT TRUE",
    "(ip.tor <> (custom.member IS NULL)) = (card.prepaid IS FALSE)",
    "custom.note < email.domain AND custom.note NOT LIKE '%a%'",
)


def test_tricky_conditions_find_the_same_rows_too(table: duckdb.DuckDBPyConnection) -> None:
    conditions = [read_condition(text, CATALOGUE) for text in TRICKY]
    found = _by_server(conditions)
    assert found == _by_query(table, conditions)
    assert {place for places in found for place in places} == set(range(len(TRICKY)))


UNBRACKETED = (
    "ip.tor OR card.prepaid AND custom.member",
    "ip.tor AND card.prepaid OR custom.member AND ip.tor",
    "NOT ip.tor AND card.prepaid",
    "NOT ip.tor = card.prepaid",
    "NOT order.amount > 1 OR card.prepaid",
    "NOT NOT ip.tor IS NULL",
    "NOT custom.note IN ('a', 'b') AND ip.tor",
    "NOT custom.note LIKE '%a%' OR ip.tor",
    "custom.note NOT LIKE 'a!%' ESCAPE '!' OR ip.tor",
    "order.amount + 1 * 2 - 3 > 2 * order.amount - 1",
    "order.amount - 1 - 2 = order.amount + -3",
    "-order.amount + 2 < 1 AND ip.tor",
    "order.amount BETWEEN 0 AND 1 + 2 AND ip.tor",
    "order.amount NOT BETWEEN 0 AND 7 OR ip.tor AND card.prepaid",
    "order.amount + 1 IN (1, 2 * 2) OR ip.tor",
    "order.amount > 1 IS NULL",
    "ip.tor = card.prepaid IS NOT TRUE",
    "ip.tor IS NULL IS FALSE",
    "ip.tor AND card.prepaid IS NULL",
    "order.amount > 1 AND ip.tor = card.prepaid OR custom.member IS NOT NULL",
)


def test_operators_bind_as_they_do_in_duckdb(table: duckdb.DuckDBPyConnection) -> None:
    for text in UNBRACKETED:
        ours = to_sql(read_condition(text, CATALOGUE))
        theirs = re.sub(r"\b[a-z]+\.[a-z]+\b", lambda name: quoted(name[0]), text)
        rows = table.execute(f"SELECT {ours}, {theirs} FROM requests").fetchall()
        assert [our for our, _ in rows] == [their for _, their in rows], text


PATTERNS = (
    *("", "%", "%%", "_", "__", "a", "a%", "%a", "%b", "%b%", "a_b", "a%b", "_%", "%_%", "a__b"),
    *("a.b", "(a)", "a*", "^a$", "[a]", "a\\b", "it's", "!%", "a!%b", "a!_b", "!a%", "!!%", "%!_%"),
    *("é", "_\u0301", "a🙂_", "🙂", "_🙂_", "%_b%", "%a%b%", "___%", "%\n%", "a_%_", "%"),
)


def test_like_means_what_it_means_to_duckdb(table: duckdb.DuckDBPyConnection) -> None:
    texts = (*SOME_TEXTS, "!", "a!b", "%b", "a\0b")
    signal = Signal("custom.note", Type.TEXT)
    for escape in (None, "!"):
        matcher = compile_conditions(
            [_condition(Like(signal, pattern, escape)) for pattern in PATTERNS]
        )
        ending = "" if escape is None else " ESCAPE '!'"
        asked = ", ".join(f"$text LIKE $p{place}{ending}" for place in range(len(PATTERNS)))
        given = {f"p{place}": pattern for place, pattern in enumerate(PATTERNS)}
        for text in texts:
            row = table.execute(f"SELECT {asked}", {"text": text, **given}).fetchone()
            assert row is not None
            wanted = [place for place, like in enumerate(row) if like]
            assert matcher({"custom.note": text}, Rivals(), 0) == wanted, text


HOSTILE = (
    *(
        "'",
        "''",
        '"',
        "`",
        "\\",
        "\\\\",
        "\\'",
        "\\n",
        "\\u0041",
        "\\x41",
        "a\nb",
        "a\r\nb",
        "\t",
        "\n",
    ),
    *(
        "${env:HOME}",
        "${HOME}",
        "${spark.app.name}",
        "${system:user.name}",
        "${",
        "$1",
        "$$",
        "$a$",
    ),
    *("a--b", "-- ", "/*", "*/", "a/*b*/c", ";", "'; DROP TABLE requests; --", "' OR '1' = '1"),
    *("\0", "a\0b", "\x01", "\x1a", "\x7f", "\x85", "\u200b", "\u2028", "\ufeff", "\ufffd"),
    *("é", "e\u0301", "日本", "🙂", "\U0010ffff", "ß", "İ", "%", "_", "a%b", "a_b", "\\%", "\\_"),
    *("?", ":a", "@a", "{a}", "{{a}}", "#", "NULL", "TRUE", "E'\\n'", "x'41'", "u&'\\0041'", ""),
)
"""Texts that some language takes for something else than text."""


def hostile_conditions() -> list[Condition]:
    """Conditions in which each of these texts stands in every place where a text can stand."""
    note = Signal("custom.note", Type.TEXT)
    made: list[Node] = []
    for text in HOSTILE:
        literal = Literal(text)
        made += [
            Compare("=", note, literal),
            Compare("<", note, literal),
            OneOf(note, (literal, Literal("b"))),
            Call("CONTAINS", (note, literal), Type.BOOLEAN),
            Call("STARTS_WITH", (literal, note), Type.BOOLEAN),
            Compare("=", Call("LENGTH", (literal,), Type.NUMBER), Literal(float(len(text)))),
            Like(note, text),
            Like(note, f"%{text}_"),
            Like(note, f"%{text}%", "!"),
        ]
    return [_condition(root) for root in made]


def test_texts_in_conditions_are_never_taken_for_anything_else() -> None:
    conditions = hostile_conditions()
    asked = ", ".join(map(to_sql, conditions))
    matcher = compile_conditions(conditions)
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        connection.execute('CREATE TABLE requests ("custom.note" VARCHAR)')
        connection.executemany("INSERT INTO requests VALUES (?)", [[text] for text in HOSTILE])
        rows = connection.execute(f"SELECT {asked} FROM requests").fetchall()
    for text, row in zip(HOSTILE, rows, strict=True):
        true = [number for number, value in enumerate(row) if value]
        assert true == matcher({"custom.note": text}, Rivals(), 0), text


@CHEAP
@given(roots=st.lists(Trees(3).conditions, min_size=12, max_size=12))
def test_a_tree_that_is_written_down_is_read_back_as_it_was(roots: list[Node]) -> None:
    for root in roots:
        assert read_condition(written(root), CATALOGUE).root == root
