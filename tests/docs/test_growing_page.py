"""The commands of the page about several servers are run as an operator would run them."""

from pathlib import Path

from gatehouse.core.limits.breaker import Breaker
from gatehouse.sentry.shared.marks import REQUEST_S, TRANSACTION_S
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell
from tests.forkserver import fork_server
from tests.harness import Home

_PAGE = (ROOT / "docs/growing.md").read_text()


def test_the_rebuild_prints_what_the_page_shows(tmp_path: Path, valkey: str) -> None:
    command = tmp_path / ".venv/bin/gatehouse"
    command.parent.mkdir(parents=True)
    command.symlink_to(fork_server().launcher)
    home = Home(tmp_path / ".gatehouse", settings={"GATEHOUSE_MEMORY_URL": valkey}).migrated()
    commands = list(steps(_PAGE))
    assert [step.command for step in commands] == ["gatehouse sentry rebuild"]
    environ = home.environ()
    environ["PATH"] = f"{command.parent}:{environ['PATH']}"
    check_in_shell(commands, tmp_path, environ, with_errors=True)


def test_the_page_says_how_long_events_are_known_and_when_the_store_is_asked_again() -> None:
    assert (TRANSACTION_S, REQUEST_S) == (7 * 86_400, 15 * 60)
    assert "by its transaction for a week, or by its request for 15 minutes" in _PAGE
    now_s = 0.0
    breaker = Breaker(lambda: now_s)
    for _ in range(3):
        assert not breaker.is_open
        breaker.failed()
    assert breaker.is_open
    now_s = 1.0
    assert breaker.allows()
    assert "After three failures in a row" in _PAGE
