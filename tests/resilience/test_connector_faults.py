"""A short run of `make faults`: hosts that misbehave and are restarted while payments are made."""

from pathlib import Path
from typing import IO, Any

from scripts.connector_faults.processes import Commands, Process
from scripts.connector_faults.run import Plan, run

from tests.harness import Home
from tests.harness.commands import fork_command, run_here


class _Forks(Commands):
    """Processes that need not start Python anew."""

    def start(self, words: list[str], environ: dict[str, str], out: IO[bytes]) -> Process:
        return fork_command(words, environ, out, out)

    def run(self, words: list[str], environ: dict[str, str]) -> Any:
        done = run_here((*words, "--json"), environ)
        assert done.code == 0, done.err
        return done.json


def test_no_payment_is_left_in_doubt_or_sent_twice_when_hosts_fail(tmp_path: Path) -> None:
    plan = Plan(requests=300, restarts=2, rate=150, warm_up=40)
    base = Home(tmp_path / "home").migrated().environ()
    report = run(plan, tmp_path, base, _Forks())
    assert report.problems == [], report.facts
