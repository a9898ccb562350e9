"""docs/alerts.md is run as an operator would run it, with an attack on the sandbox's account."""

from pathlib import Path

from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT, ensure_demo
from gatehouse.admin.alerts.types.judging import RAISES, AlertKind
from gatehouse.admin.alerts.worker.reading import MOST_READ
from gatehouse.admin.alerts.worker.watch import LOOK_S, AlertWatch
from tests.admin.alerts.shop import attack, insert, learn
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell
from tests.forkserver import fork_server
from tests.harness import Home

_PAGE = (ROOT / "docs/alerts.md").read_text()


def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    command = tmp_path / ".venv/bin/gatehouse"
    command.parent.mkdir(parents=True)
    command.symlink_to(fork_server().launcher)
    home = Home(tmp_path / ".gatehouse").migrated()
    with home.session() as session:
        ensure_demo(session, session.settings)
        learn(session, DEMO_ACCOUNT)
        insert(session, DEMO_ACCOUNT, attack(session.clock()))
        AlertWatch(session).look()
    walk = list(steps(_PAGE))
    assert len(walk) == 4
    check_in_shell(walk, tmp_path, home.environ(), with_errors=True)


def test_the_page_names_every_kind_and_the_numbers_of_the_code() -> None:
    assert all(f"| `{kind}` |" in _PAGE for kind in AlertKind)
    assert f"{MOST_READ:,} requests are read at each look" in _PAGE
    assert f"larger by at least {RAISES.excess:.0f}" in _PAGE
    assert f"looked at every {'twenty' if LOOK_S == 20 else LOOK_S} seconds" in _PAGE
