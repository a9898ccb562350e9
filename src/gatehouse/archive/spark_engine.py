"""Spark as the engine of a backtest: on this machine, or on a cluster that reads the same files."""

import contextlib
import logging
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gatehouse.archive.spark_sql import created_by, spark_type, to_spark
from gatehouse.core.errors import GatehouseError, InvalidInput

_LONGEST_REASON: Final = 300
_SETTINGS: Final = {
    "spark.sql.ansi.enabled": "false",  # a number divided by zero is NULL, as in conditions
    "spark.sql.session.timeZone": "UTC",
    # In a text of a rule, ${env:NAME} is what its author wrote, and no variable of this process.
    "spark.sql.variable.substitute": "false",
    # A set takes -0.0 and 0.0 for two numbers; a comparison does not.
    "spark.sql.optimizer.inSetConversionThreshold": "1000000",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_OF_THIS_MACHINE: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "8",
}
_LOCAL: Final = re.compile(r"local(\[.*\])?")
_DEEP_STACK: Final = "-Xss64m"
"""Spark's own parser goes deep into conditions of many parts within parts."""


def is_local(master: str) -> bool:
    """Whether Spark works within one process on this machine, and reads what that can read."""
    return _LOCAL.fullmatch(master) is not None


def _is_here(master: str) -> bool:
    """Whether all processes of Spark are on this machine, a cluster for tries among them."""
    return is_local(master) or master.startswith("local-cluster[")


class SparkEngine:
    """A session of Spark with tables of its own."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._kept: list[Any] = []

    def ask(self, statement: str, /) -> list[tuple[Any, ...]]:
        """Run a statement of DuckDB's SQL; its rows."""
        with _plain_errors():
            made = created_by(statement)
            if made is None:
                return [tuple(row) for row in self._session.sql(to_spark(statement)).collect()]
            frame = self._session.sql(made.query)
            if made.kept:
                frame = frame.persist()
                self._kept.append(frame)
            frame.createOrReplaceTempView(made.name)
            return []

    def read(self, table: str, files: Sequence[str], types: Mapping[str, str]) -> None:
        """Let a table stand for Parquet files with columns of these types."""
        if not files:
            self.put(table, types, [])
            return
        with _plain_errors():
            self._session.read.parquet(*files).createOrReplaceTempView(table)

    def put(self, table: str, types: Mapping[str, str], columns: Sequence[Sequence[Any]]) -> None:
        """Make a table of values, given as columns."""
        schema = ", ".join(f"`{name}` {spark_type(kind)}" for name, kind in types.items())
        rows = list(zip(*columns, strict=True))
        with _plain_errors():
            self._session.createDataFrame(rows, schema).createOrReplaceTempView(table)

    def close(self) -> None:
        """Let go of the rows that were kept."""
        for frame in self._kept:
            frame.unpersist()


@contextlib.contextmanager
def open_spark(master: str) -> Iterator[SparkEngine]:
    """Spark with a master such as local[*] or spark://host:7077; it is stopped at the end."""
    session, ours = _session(master)
    engine = SparkEngine(session.newSession())
    try:
        for name, value in _SETTINGS.items():
            if name.startswith("spark.sql"):
                engine._session.conf.set(name, value)
        yield engine
    finally:
        engine.close()
        if ours:
            session.stop()


def _session(master: str) -> tuple[Any, bool]:
    """A session, and whether it was begun for this."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InvalidInput(
            "Spark needs more packages: those of the extra spark, gatehouse[spark]"
        ) from None
    there = SparkSession.getActiveSession()
    if there is not None:
        return there, False
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise InvalidInput("Spark needs Java 17 or later; install it, or use --engine duckdb")
    builder = SparkSession.builder.appName("gatehouse backtest").master(master)
    settings = _SETTINGS | (_OF_THIS_MACHINE if _is_here(master) else {})
    settings["spark.driver.extraJavaOptions"] = _DEEP_STACK
    settings["spark.executor.extraJavaOptions"] = _DEEP_STACK
    for name, value in settings.items():
        builder = builder.config(name, value)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    if _is_here(master):
        # Nobody else has to reach the processes of Spark.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    try:
        # What a package says to those who develop it is nothing to an operator.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
    except Exception as error:
        raise InvalidInput(f"Spark did not start with {master}: {_reason(error)}") from None
    return session, True


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn errors of Spark into one line without a trace of Java."""
    try:
        yield
    except GatehouseError:
        raise
    except Exception as error:
        raise GatehouseError(f"Spark could not do this: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    said = getattr(error, "java_exception", error)
    return str(said).strip().partition("\n")[0][:_LONGEST_REASON]
