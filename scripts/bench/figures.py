"""How long the console's figures take over a million decisions, and what their copy costs.

`python -m scripts.bench.figures [DECISIONS]` prints it with the bars.
"""

import argparse
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.figures.use_cases.overview import FigureSpan, overview
from gatehouse.admin.figures.use_cases.preview import preview
from gatehouse.admin.figures.use_cases.rule_figures import rule_figures
from gatehouse.admin.rule_sets.use_cases.rule_sets import apply
from gatehouse.core.ids import new_id
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.copies import ColumnCopies
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from scripts.bench.backtesting import record, rule_set_text

OVERVIEW_BAR_S: Final = 0.3
PREVIEW_BAR_S: Final = 2.0

_DAYS: Final = 30
_DAY_MS: Final = 86_400_000
_START_MS: Final = 1_792_000_000_000
_END_MS: Final = _START_MS + _DAYS * _DAY_MS
_DIFFERENT: Final = 20_000
_AT_ONCE: Final = 5000
_LABELLED: Final = 20
"""One request of so many has a label, and one a review."""
_ROUNDS: Final = 5
_OUTCOMES: Final = ("ACCEPT",) * 8 + ("REVIEW", "DECLINE")
_DECISIONS: Final = "account_id, request_id, at_ms, operation, record"
_FEEDBACK: Final = "seq, account_id, request_id, label, recorded_at_ms, actor, source"


class Cost(NamedTuple):
    """What something took."""

    wall_s: float
    cpu_s: float


def make(home: Path, decisions: int) -> str:
    """A SQLite database with so many decisions in thirty days; the account that has them."""
    session = _session(home)
    with session.change() as change:
        account_id = accounts.create(change, "Shop", "USD").account_id
    apply(session, account_id, NewVersion(rule_set_text().encode()))
    session.database.dispose()
    chance = random.Random(5)
    texts = [varied(chance) for _ in range(_DIFFERENT)]
    database = sqlite3.connect(home / "sandbox.db", isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    step = (_END_MS - _START_MS) / decisions
    for first in range(0, decisions, _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, decisions))
        times = [int(_START_MS + number * step) for number in numbers]
        ids = [_id(number, at_ms) for number, at_ms in zip(numbers, times, strict=True)]
        rows = [
            (account_id, request_id, at_ms, "pipeline", texts[number % _DIFFERENT])
            for number, at_ms, request_id in zip(numbers, times, ids, strict=True)
        ]
        labels = [
            (number + 1, account_id, request_id, _label(number), _END_MS, "bench", "api")
            for number, request_id in zip(numbers, ids, strict=True)
            if number % _LABELLED == 0
        ]
        database.execute("BEGIN")
        database.executemany(f"INSERT INTO decisions ({_DECISIONS}) VALUES (?,?,?,?,?)", rows)
        database.executemany(f"INSERT INTO feedback ({_FEEDBACK}) VALUES (?,?,?,?,?,?,?)", labels)
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return account_id


def varied(chance: random.Random) -> str:
    """A record whose outcome, matches and times are not all alike."""
    made: dict[str, Any] = msgspec.json.decode(record(chance, "req_01m7hg27j5fh4t74wevtjds3tx"))
    outcome = chance.choice(_OUTCOMES)
    made["decision"] = outcome
    for stage in made["stages"]:
        stage["durationMicroseconds"] = int(chance.lognormvariate(8, 0.7))
        if stage["name"] == "Rules":
            stage["result"]["status"] = outcome
            matched = chance.sample(range(40), chance.choice((0, 0, 1, 2)))
            stage["result"]["matched"] = [f"rule-{number}" for number in matched]
            stage["result"]["shadow"] = [f"rule-{40 + number % 10}" for number in matched]
    return msgspec.json.encode(made).decode()


def _label(number: int) -> str:
    return "FRAUD" if number % (_LABELLED * 10) == 0 else "LEGITIMATE"


def _id(number: int, at_ms: int) -> str:
    return new_id("req", at_ms, lambda size: number.to_bytes(size, "big"))


def _session(home: Path) -> AdminSession:
    return open_admin_session(load_settings({"GATEHOUSE_HOME": str(home)}), Actor.system("bench"))


def measured(work: Callable[[], object]) -> Cost:
    """What one run takes, with the threads of DuckDB."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def median(work: Callable[[], object]) -> Cost:
    """The median of some runs after the first, which reads blocks from the disk."""
    work()
    costs = [measured(work) for _ in range(_ROUNDS)]
    return Cost(*(statistics.median(each) for each in zip(*costs, strict=True)))


def run(home: Path, account_id: str) -> None:
    """Make the copy, ask everything, and print what it took."""
    session = _session(home)
    copies = ColumnCopies(session, home)
    built = measured(lambda: copies.catch_up(account_id))
    columns = copies.catch_up(account_id)
    done = columns.coverage.done
    per_row = built.cpu_s / done * 1e6
    print(f"copy of {done:,} decisions: {_shown(built)}, {per_row:.0f} us CPU each")
    size = sum(file.stat().st_size for file in (home / "columns").iterdir())
    print(f"size: {size / 1e6:,.0f} MB, {size / done:,.0f} bytes each")
    _ask(session, columns)
    print(f"compacting, after an erasure: {_shown(measured(columns.compact))}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"memory of the process: {most:.2f} GB at most")
    copies.close()
    session.database.dispose()


def _ask(session: AdminSession, columns: AccountColumns) -> None:
    whole = FigureSpan(_START_MS, _END_MS, "Europe/Berlin")
    half = FigureSpan(_END_MS - _DAYS * _DAY_MS // 2, _END_MS, "Europe/Berlin")
    edited = rule_set_text().encode()
    first = measured(lambda: overview(session, columns, whole))
    print(f"overview, the first after a start: {_shown(first)}")
    _print("overview, 30 days", lambda: overview(session, columns, whole), OVERVIEW_BAR_S)
    _print("overview, 15 days and before", lambda: overview(session, columns, half), OVERVIEW_BAR_S)
    _print("rules, 30 days", lambda: rule_figures(session, columns, "bench", whole), OVERVIEW_BAR_S)
    _print("preview, 30 days", lambda: preview(session, columns, edited, whole), PREVIEW_BAR_S)


def _print(name: str, work: Callable[[], object], bar_s: float) -> None:
    cost = median(work)
    met = "met" if cost.wall_s <= bar_s else "NOT MET"
    print(f"{name}: {_shown(cost)} (bar {bar_s} s: {met})")


def _shown(cost: Cost) -> str:
    return f"{cost.wall_s:.3f} s, {cost.cpu_s:.3f} s CPU"


def measure(decisions: int, kept: Path | None = None) -> None:
    """Make so many decisions, unless they are kept in a folder, and ask everything."""
    with tempfile.TemporaryDirectory() as folder:
        home = kept or Path(folder)
        known = home / "account"
        if not known.exists():
            home.mkdir(parents=True, exist_ok=True)
            known.write_text(make(home, decisions))
        run(home, known.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decisions", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path, help="a folder to keep the decisions in")
    options = parser.parse_args()
    measure(options.decisions, options.home)


if __name__ == "__main__":
    main()
