"""Shell completion: what bash offers while a person types a command."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forkserver import fork_server
from tests.harness import Home

_TRY = """
source <(_GATEHOUSE_COMPLETE=source_bash gatehouse)
while IFS= read -r line; do
    IFS=' ' read -ra COMP_WORDS <<< "$line"
    [[ $line == *' ' ]] && COMP_WORDS+=("")
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    COMPREPLY=()
    _gatehouse_completion gatehouse
    echo "${COMPREPLY[*]}"
done
"""


def _offered(home: Home, folder: Path, *lines: str) -> list[list[str]]:
    """What bash offers at the end of each line, with the script that the command gives it."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not here")
    command = folder / "gatehouse"
    if not command.is_symlink():
        command.symlink_to(fork_server().launcher)
    environ = home.environ()
    environ["PATH"] = f"{folder}:{environ['PATH']}"
    environ["LC_ALL"] = "C.UTF-8"
    done = subprocess.run(
        [bash, "--norc", "-c", _TRY],
        input="".join(f"{line}\n" for line in lines),
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [line.split() for line in done.stdout.splitlines()]


def test_bash_completes_commands_options_values_and_names(
    sqlite_home: Home, tmp_path: Path
) -> None:
    account = sqlite_home.account()
    sqlite_home.ok("lists", "create", "vip", "--kind", "users", "--account", account)
    offered = _offered(
        sqlite_home,
        tmp_path,
        "gatehouse ba",
        "gatehouse balance ",
        "gatehouse balance show --a",
        "gatehouse balance show --account ",
        "gatehouse keys rotate acct",
        f"gatehouse lists show --account {account} v",
        "gatehouse rules history ",
        "gatehouse pipelines show ",
        "gatehouse reviews list --status o",
        "gatehouse gateway list --state REVERSE",
        "gatehouse lists show --account acct_nobody ",
    )
    assert offered == [
        ["backup", "balance"],
        ["show", "top-up", "adjust", "credit"],
        ["--account"],
        [account],
        [account],
        ["vip"],
        ["starter"],
        ["1", "2"],
        ["open"],
        ["REVERSE", "REVERSED"],
        [],
    ]


def test_completion_is_silent_and_makes_nothing_where_there_is_no_data(tmp_path: Path) -> None:
    nowhere = Home(tmp_path / "nowhere", settings={"GATEHOUSE_PORT": "http"})
    lines = ("gatehouse balance show --account ", "gatehouse lists show ", "gatehouse b")
    assert _offered(nowhere, tmp_path, *lines) == [[], [], ["backup", "balance", "bulk"]]
    assert not nowhere.path.exists()
    elsewhere = Home(tmp_path / "other", "postgresql://nobody@127.0.0.1:1/nothing")
    assert _offered(elsewhere, tmp_path, lines[0]) == [[]]


def test_completing_loads_neither_the_database_library_nor_what_serves() -> None:
    """A shell waits for every completion, so commands import what they need when they run."""
    modules = "accounts.command keys.command money.command.money money.command.statement"
    modules += " lists.command rule_sets.command.rules"
    code = (
        "import sys, importlib\n"
        f"[importlib.import_module('gatehouse.admin.' + name) for name in '{modules}'.split()]\n"
        "import gatehouse.cli.app, gatehouse.cli.name_completion\n"
        "print([name for name in ('sqlalchemy', 'uvloop', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
