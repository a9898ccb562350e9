"""A short run of `make faults`: hosts that misbehave and are restarted while payments are made."""

from pathlib import Path

from scripts.connector_faults.run import Plan, run

from tests.harness import Home
from tests.resilience.forks import Forks


def test_no_payment_is_left_in_doubt_or_sent_twice_when_hosts_fail(tmp_path: Path) -> None:
    plan = Plan(requests=300, restarts=2, rate=150, warm_up=40)
    base = Home(tmp_path / "home").migrated().environ()
    report = run(plan, tmp_path, base, Forks())
    assert report.problems == [], report.facts
