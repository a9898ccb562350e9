"""How long decisions take into an archive, and a rule set over the archive.

`python -m scripts.bench.archiving [REQUESTS] [--engine spark]` prints both with their bar.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from gatehouse.access.actors import Actor
from gatehouse.admin.archive.use_cases.archive import ArchiveState, archive_decisions
from gatehouse.admin.archive.use_cases.archive_backtest import (
    ArchiveSource,
    EngineName,
    backtest_archive,
)
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from scripts.bench.backtesting import START_MS, recorded, rule_set

BAR_S: Final = 10.0
"""Opening and judging a million archived requests by fifty rules may take so long, on two cores."""
_LATER_MS: Final = 40 * 86_400_000


class Archived(NamedTuple):
    """What was measured."""

    state: ArchiveState
    write_s: float
    backtest_s: float
    """From the files to the report."""


def measure(requests: int, engine: EngineName) -> Archived:
    """Archive so many requests, and backtest them."""
    with tempfile.TemporaryDirectory() as home:
        source = recorded(Path(home), requests)
        source.database.dispose()
        settings = load_settings({"GATEHOUSE_HOME": home})
        session = open_admin_session(settings, Actor.system("bench"))
        session.clock = lambda: START_MS + _LATER_MS
        to = str(Path(home) / "archive")
        began = time.perf_counter()
        state = archive_decisions(session, source.span, to, lambda *_: None)
        write_s = time.perf_counter() - began
        began = time.perf_counter()
        options, read = BacktestOptions(), ArchiveSource(to, engine)
        report = backtest_archive(session, rule_set(), source.span, options, read)
        backtest_s = time.perf_counter() - began
        session.database.dispose()
    assert report.records == requests
    return Archived(state, write_s, backtest_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    asked = parser.parse_args()
    found = measure(asked.requests, asked.engine)
    each = found.state.bytes / asked.requests
    print(
        f"{asked.requests:,} decisions into an archive: {found.write_s:.2f} s, "
        f"{each:.0f} bytes each\n"
        f"{len(rule_set().rules)} rules over it with {asked.engine} on {os.cpu_count()} cores: "
        f"{found.backtest_s:.2f} s (bar {BAR_S:.0f} s)"
    )
    if found.backtest_s > BAR_S:
        raise SystemExit("the bar was missed")


if __name__ == "__main__":
    main()
