"""Every kind of failure ends with its own code, whatever the command."""

import json
import os
import platform
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from gatehouse import __version__
from tests.forkserver import fork_server
from tests.harness import PATIENCE_S, Home, until

REQUEST = "req_01m7h76kqwf6jvz5k3axg15xej"
PERSON = "idn_01m7h76kqwf6jvz5k3axg15xej"

WRONG_USAGE = """
nonsense | balance | balance show --nope | keys rotate | reviews resolve | pipelines show x
reviews list --status odd | ledger show --limit 0 | feedback add --label odd | rules test x
feedback add --label fraud | identities show | identities delete --yes | prices set acct_x
accounts sentry --entity a --no-entities | gateway list --state odd | keys revoke a b c
statement --month 2026-10 --from 2026-10-01 | statement --to 2026-10-01 | statement --format csv
ledger show --to 2026-10-01 | ledger show --format csv
"""
NOT_FOUND = f"""
balance show acct_x | balance top-up acct_x 5 | accounts show acct_x | keys list acct_x
keys rotate key_x | prices show acct_x | ledger show acct_x | statement acct_x
rules list --account acct_x | rules show nope | rules history nope | rules rollback nope
pipelines show 99 | pipelines history 99 | pipelines rollback 99 | lists show nope
lists add nope x | lists drop nope | decisions list --account acct_x | decisions show {REQUEST}
reviews list --account acct_x | reviews show {REQUEST} | feedback show {REQUEST}
reviews resolve {REQUEST} --approve --reason x | feedback add --label fraud --request {REQUEST}
gateway show {REQUEST} | gateway retry {REQUEST} | gateway list --account acct_x
sentry show 99 | sentry promote 99 | sentry models --account acct_x | audit show --account acct_x
identities show --id {PERSON} | identities delete --id {PERSON} --yes | intel check FILE.none
secrets sign-configuration --account acct_x --yes
"""
REFUSED = """
balance top-up many | balance top-up -- -5 | balance adjust -100 --reason x | prices set NOPE=1
accounts create '' | accounts create X --currency ABC | accounts policy --avs X=Y
keys issue --scope nope | keys issue --network nope | keys issue --expires-in soon
statement --month 2026-13 | rules check FILE | rules apply FILE | rules backtest FILE
rules check FILE.none | pipelines check FILE | pipelines apply FILE | rules signals --group nope
lists create x --kind nope | lists create blocked-cards --kind cards | lists add blocked-cards 42
lists import blocked-bins FILE.none | feedback import FILE.none.csv | decisions list --after x
feedback add --label fraud --request x | reviews list --after x | intel look nonsense
backup FILE | backup FILE.none/x | audit verify --expect x | sentry replay FILE.none
secrets rotate-root --new-secret-file FILE | sentry rollback
"""
WRONG_SETTING = "balance show | doctor | migrate | intel status | ledger verify | sentry models"
NO_DATABASE = """
balance show | accounts list | keys list | ledger verify | audit head | rules list | lists show
decisions list | reviews list | feedback list | gateway list | identities count | secrets status
sentry models | pipelines list | statement | migrate
"""


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.replace("\n", "|").split("|") if line.strip()]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("codes")).migrated()
    home.account("5")
    (home.path / "file").write_text("rules: [")
    return home


def _ends(home: Home, table: str, code: int, word: str, **settings: str) -> None:
    """Every command of the table ends with that code and says so in JSON."""
    wrong = {}
    for line in _lines(table):
        words = shlex.split(line.replace("FILE", str(home.path / "file")))
        marker = words.index("--") if "--" in words else len(words)
        done = home.run(*words[:marker], "--json", *words[marker:], **settings)
        told = json.loads(done.err.splitlines()[-1])["error"] if done.err else {}
        told = told or {"code": word, "exitCode": code}  # a refused file is told on standard output
        if (done.code, told["code"], told["exitCode"]) != (code, word, code):
            wrong[line] = (done.code, done.err)
    assert wrong == {}


def test_wrong_usage_is_2(home: Home) -> None:
    _ends(home, WRONG_USAGE, 2, "wrong_usage")


def test_what_is_not_there_is_3(home: Home) -> None:
    _ends(home, NOT_FOUND, 3, "not_found")


def test_what_cannot_be_done_is_4(home: Home) -> None:
    _ends(home, REFUSED, 4, "refused")


def test_a_wrong_setting_is_5(home: Home) -> None:
    _ends(home, WRONG_SETTING, 5, "wrong_setting", GATEHOUSE_PORT="http")


@pytest.mark.parametrize("kind", ["server", "file"])
def test_a_database_that_is_not_available_is_6(home: Home, kind: str) -> None:
    urls = {"server": "postgresql://nobody@127.0.0.1:1/x", "file": f"sqlite:///{home.path}/file"}
    server = "balance show | ledger verify | migrate | backup FILE.copy"
    table = NO_DATABASE if kind == "file" else server
    _ends(home, table, 6, "database_unavailable", GATEHOUSE_DATABASE_URL=urls[kind])


def test_a_check_that_finds_a_problem_is_1(home: Home) -> None:
    labels = home.path / "labels.csv"
    labels.write_text("requestId,label\nnope,FRAUD\n")
    feed = home.path / "odd.feed"
    feed.write_text("x")
    for words in (["doctor"], ["intel", "check", str(feed)], ["feedback", "import", str(labels)]):
        done = home.run(*words, "--json")
        assert done.code == 1, done.err
        assert done.json


def test_a_reader_that_goes_away_and_ctrl_c_end_the_command_quietly(
    home: Home, tmp_path: Path
) -> None:
    errors = tmp_path / "errors"
    reading, writing = os.pipe()
    with errors.open("wb") as err:
        os.close(reading)
        files = [err.fileno(), writing, err.fileno()]
        gone = fork_server().start(["rules", "signals", "--json"], home.environ(), files)
        assert gone.wait(PATIENCE_S) == 141
        os.close(writing)
        reading, writing = os.pipe()
        files = [reading, err.fileno(), err.fileno()]
        words = ["identities", "show", "--card", "-"]
        asked = fork_server().start(words, home.environ(), files)
        until(lambda: _call(asked.pid), lambda call: call[:2] == [_READ, "0x0"])
        os.kill(asked.pid, signal.SIGINT)
        assert asked.wait(PATIENCE_S) == 130
        os.close(reading)
        os.close(writing)
    assert errors.read_bytes() == b""


_READ: Final = {"aarch64": "63", "riscv64": "63"}.get(platform.machine(), "0")
"""The number of the system call that reads."""


def _call(pid: int) -> list[str]:
    """What the process waits for: the number of the system call, and its arguments."""
    return Path(f"/proc/{pid}/syscall").read_text().split()


def test_nothing_is_printed_about_what_is_alive_at_the_end_of_a_process() -> None:
    # As in the processes of the console and beside the server, which have DuckDB and freeze it.
    program = (
        "import gc, sys, duckdb; gc.freeze(); sys.argv[1:] = ['--version'];"
        " from gatehouse.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == (f"gatehouse {__version__}\n", "")
