"""Spark on a cluster says what DuckDB says, and what a server decides.

One session of Spark serves all comparisons, because to start one takes longer than they do.
"""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gatehouse.admin.archive.use_cases.archive import archive_decisions
from gatehouse.admin.archive.use_cases.archive_backtest import ArchiveSource, backtest_archive
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, backtest
from gatehouse.archive.spark_engine import SparkEngine, open_spark
from gatehouse.archive.spark_sql import to_spark
from gatehouse.conditions.catalogue import packed
from gatehouse.conditions.compile_python import compile_conditions
from gatehouse.conditions.compile_sql import to_sql
from gatehouse.conditions.nodes import Arithmetic, Condition, Like, Literal, Node, Signal, Type
from gatehouse.conditions.parse import read_condition
from gatehouse.conditions.signatures import SIGNATURES
from gatehouse.store.decisions.records import RecordSpan
from tests.archive.test_backtests import FIRST_MS, fill, five_days, rules_named
from tests.conditions import test_agreement
from tests.conditions.test_agreement import (
    HOSTILE,
    PATTERNS,
    ROWS,
    TRICKY,
    UNBRACKETED,
    Rivals,
    hostile_conditions,
)
from tests.conditions.trees import CATALOGUE, Trees
from tests.figures.shops import DAY_MS, Shop, as_json

MASTER = "local-cluster[1,2,1024]"
table = test_agreement.table

EVERY_FUNCTION = (
    "ABS(order.amount) > 2 AND FLOOR(order.amount) < CEIL(custom.score)",
    "ROUND(order.amount) = 3 OR ROUND(custom.score) = -3 OR ROUND(custom.score) = 0",
    "FLOOR(custom.score / 2) = CEIL(custom.score / 2)",
    "FLOOR(custom.score * 1e290) > 1e300 OR CEIL(-custom.score) = -custom.score",
    "COALESCE(custom.note, email.domain, 'none') = 'none' OR COALESCE(ip.tor, card.prepaid)",
    "COALESCE(order.amount, custom.score, 5) >= 5",
    "NULLIF(custom.note, email.domain) IS NULL",
    "NULLIF(ip.tor, card.prepaid) IS NOT TRUE",
    "LEAST(order.amount, custom.score, 7) > 1",
    "GREATEST(custom.note, email.domain) = custom.note",
    "LEAST(custom.note, email.domain, 'b') < 'a'",
    "LOWER(custom.note) = 'ab' OR UPPER(custom.note) = 'ABC' OR UPPER(custom.note) = 'É'",
    "LENGTH(custom.note) = 1 OR LENGTH(email.domain) = 3 OR LENGTH(custom.note) / 2 = 20",
    "STARTS_WITH(custom.note, 'a') AND NOT ENDS_WITH(custom.note, 'b')",
    "CONTAINS(custom.note, email.domain) OR CONTAINS(email.domain, '')",
    "HAS(sentry.reasons, 'é') OR HAS(rules.matched, '')",
    "email.domain IN LIST('rivals') OR custom.note NOT IN LIST('odd-notes')",
    "order.amount / 2 = 1.5 OR order.amount % 2 = 1 OR order.amount % custom.score = 0",
    "order.amount IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)",
    "order.amount NOT IN (0, custom.score) AND custom.note IN ('a', email.domain, '🙂')",
    "custom.note > 'é' AND custom.note < '\U0010ffff' OR custom.note >= '日本'",
    "CASE WHEN order.amount > 3 THEN 'x' WHEN ip.tor THEN custom.note END IS NULL",
)


MISSING = [
    *(["java"] if shutil.which("java") is None else []),
    *(["pyspark"] if importlib.util.find_spec("pyspark") is None else []),
]
pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(bool(MISSING), reason=f"SPARK IS NOT TESTED: no {MISSING}"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkEngine]:
    # Java compiles less, which takes longer than what is asked here.
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        with open_spark(MASTER) as engine:
            yield engine


def _roots() -> list[Node]:
    """The same made-up trees in every run."""
    made: list[Node] = []

    @settings(
        max_examples=3,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(Trees(3).conditions, min_size=12, max_size=12))
    def collect(roots: list[Node]) -> None:
        made.extend(roots)

    collect()
    return made


def _likes() -> list[Node]:
    note = Signal("custom.note", Type.TEXT)
    return [Like(note, pattern, escape) for pattern in PATTERNS for escape in (None, "!")]


def _conditions() -> list[Condition]:
    written = [read_condition(text, CATALOGUE) for text in (*TRICKY, *UNBRACKETED, *EVERY_FUNCTION)]
    return [*written, *(Condition("", root, ()) for root in (*_likes(), *_roots()))]


def test_every_function_of_the_language_is_compared() -> None:
    written = " ".join((*TRICKY, *EVERY_FUNCTION))
    assert [name for name in SIGNATURES if f"{name}(" not in written] == []


def test_spark_says_what_duckdb_and_a_server_say(
    spark: SparkEngine, table: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    file = tmp_path / "requests.parquet"
    table.execute(f"COPY requests TO '{file}' (FORMAT parquet)")
    spark.read("requests", [str(file)], {})
    conditions = _conditions()
    assert len(conditions) > 150
    asked = ", ".join(f"{to_sql(each)} AS c{number}" for number, each in enumerate(conditions))
    query = f"SELECT {asked} FROM requests ORDER BY place"
    by_duckdb, by_spark = table.execute(query).fetchall(), spark.ask(query)
    matcher = compile_conditions(conditions)
    for place, row in enumerate(ROWS):
        differing = [
            (to_sql(condition), theirs, ours, row)
            for condition, theirs, ours in zip(
                conditions, by_duckdb[place], by_spark[place], strict=True
            )
            if theirs is not ours
        ]
        assert differing == []
        true = [number for number, value in enumerate(by_spark[place]) if value]
        assert true == matcher(packed(row), Rivals(), 0)


def test_texts_in_conditions_are_never_taken_for_anything_else_by_spark(
    spark: SparkEngine,
) -> None:
    conditions = hostile_conditions()
    spark.put(
        "hostile", {"place": "INTEGER", "custom.note": "VARCHAR"}, [range(len(HOSTILE)), HOSTILE]
    )
    asked = ", ".join(f"{to_sql(each)} AS c{number}" for number, each in enumerate(conditions))
    rows = spark.ask(f"SELECT {asked} FROM hostile ORDER BY place")
    matcher = compile_conditions(conditions)
    for text, row in zip(HOSTILE, rows, strict=True):
        true = [number for number, value in enumerate(row) if value]
        expected = matcher({"custom.note": text}, Rivals(), 0)
        differing = [to_sql(conditions[number]) for number in set(true) ^ set(expected)]
        assert (text, differing) == (text, [])


def test_a_backtest_with_spark_says_what_one_of_the_database_says(
    spark: SparkEngine, shop: Shop, tmp_path: Path
) -> None:
    assert spark
    fill(shop, 3000)
    to = str(tmp_path / "archive")
    archive_decisions(shop.session, five_days(shop), to, lambda *_: None)
    span = RecordSpan(shop.account_id, FIRST_MS + 5_000_000, FIRST_MS + 5 * DAY_MS - 5_000_000)
    tried, options = rules_named("second"), BacktestOptions()
    expected = backtest(shop.session, tried, span, options, lambda *_: None)
    source = ArchiveSource(to, "spark", MASTER)
    found = backtest_archive(shop.session, tried, span, options, source)
    assert as_json(found) == as_json(expected)
    assert found.examples
    assert sum(rule.matches > 0 for rule in found.rules) > 8


def test_the_deepest_condition_can_be_written_for_spark() -> None:
    root: Node = Signal("order.amount", Type.NUMBER)
    for _ in range(90):
        root = Arithmetic("/", Literal(2.0), root)
    written = to_spark(f"SELECT {to_sql(Condition('', root, ()))} AS x FROM requests")
    assert written.count("FILTER(") == 90
