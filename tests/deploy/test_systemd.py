"""The units of systemd: systemd's own checks, and what they start run for real."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from gatehouse.settings.settings import Settings, load_settings
from tests.forkserver import fork_server
from tests.harness import PATIENCE_S, Home
from tests.harness.commands import run_here
from tests.installed_programs import ROOT

FOLDER: Final = ROOT / "deploy/systemd"
UNITS: Final = sorted(FOLDER.glob("*.service"))
ANALYZE: Final = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(
    ANALYZE is None, reason="SYSTEMD-ANALYZE IS MISSING: the units were not verified"
)
_MOST_EXPOSED: Final = 1.5
"""Of ten; systemd calls two and less OK."""


def _lines(unit: Path, name: str) -> list[str]:
    return [
        line.partition("=")[2]
        for line in unit.read_text().splitlines()
        if line.startswith(f"{name}=")
    ]


def _analyze(*words: str | Path) -> str:
    done = subprocess.run(
        [ANALYZE or "", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_systemd
def test_systemd_understands_every_unit(tmp_path: Path) -> None:
    shutil.copytree("/usr/lib/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    for unit in FOLDER.glob("*.*"):
        if unit.is_dir():
            continue
        shutil.copy(unit, tmp_path / "usr/lib/systemd/system")
    programs = ("opt/gatehouse/bin/gatehouse", "etc/gatehouse/on-failure", "usr/bin/find", "bin/sh")
    for program in programs:
        (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / program).write_text("")
        (tmp_path / program).chmod(0o755)
    units = [unit.name for unit in (*UNITS, FOLDER / "gatehouse-backup.timer")]
    said = _analyze("verify", f"--root={tmp_path}", "--man=no", "--recursive-errors=no", *units)
    assert "gatehouse" not in said


@needs_systemd
def test_servers_of_one_machine_are_instances_named_by_their_port(tmp_path: Path) -> None:
    place = tmp_path / "usr/lib/systemd/system"
    shutil.copytree("/usr/lib/systemd/system", place, symlinks=True)
    shutil.copy(FOLDER / "gatehouse.service", place / "gatehouse@.service")
    shutil.copytree(FOLDER / "gatehouse@.service.d", place / "gatehouse@.service.d")
    (tmp_path / "opt/gatehouse/bin").mkdir(parents=True)
    (tmp_path / "opt/gatehouse/bin/gatehouse").touch(0o755)
    options = f"--root={tmp_path}", "--man=no", "--recursive-errors=no"
    assert "gatehouse" not in _analyze("verify", *options, "gatehouse@8080.service")


def test_an_instance_has_ports_and_a_home_of_its_own() -> None:
    given = _lines(FOLDER / "gatehouse@.service.d/instance.conf", "Environment")
    settings = load_settings(dict(one.replace("%i", "8180").split("=", 1) for one in given))
    assert (settings.port, settings.metrics_port) == (8180, 18180)
    assert settings.home == Path("/var/lib/gatehouse/8180")


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_may_do_little(unit: Path) -> None:
    said = _analyze("security", "--offline=true", "--no-pager", unit)
    found = re.search(r"exposure level for \S+: ([0-9.]+)", said)
    assert found
    assert float(found[1]) <= _MOST_EXPOSED


def test_a_server_is_given_longer_than_it_takes_to_stop_and_files_for_its_connections() -> None:
    [unit] = [unit for unit in UNITS if unit.stem == "gatehouse"]
    defaults = Settings(environment="production")
    assert int(_lines(unit, "TimeoutStopSec")[0]) > (
        defaults.effective_drain_s + defaults.stop_timeout_s
    )
    assert int(_lines(unit, "LimitNOFILE")[0]) >= defaults.max_connections + 256


@pytest.mark.parametrize("name", ["gatehouse", "gatehouse-console"])
def test_systemd_never_gives_up_starting_what_must_run(name: str) -> None:
    """By default it does after five starts in ten seconds, while the database is away."""
    unit = FOLDER / f"{name}.service"
    assert _lines(unit, "Restart") == ["on-failure"]
    before_service = unit.read_text().partition("[Service]")[0]
    assert "\nStartLimitIntervalSec=0\n" in before_service


def test_a_worker_that_is_killed_for_its_memory_does_not_end_the_others() -> None:
    assert _lines(FOLDER / "gatehouse.service", "OOMPolicy") == ["continue"]


def test_a_backup_that_fails_is_told_to_somebody() -> None:
    [told] = _lines(FOLDER / "gatehouse-backup.service", "OnFailure")
    assert told == "gatehouse-failed@%n.service"
    unit = FOLDER / "gatehouse-failed@.service"
    [program] = _lines(unit, "ConditionFileIsExecutable")
    assert _lines(unit, "ExecStart") == [f"{program} %i"]


def test_the_commands_of_the_units_exist(sqlite_home: Home) -> None:
    lines = [line for unit in UNITS for line in _lines(unit, "ExecStart")]
    commands = [line for line in lines if "bin/gatehouse" in line]
    words = [re.findall(r"bin/gatehouse ([a-z ]+[a-z])", line)[0].split() for line in commands]
    assert ["serve"] in words
    assert ["console"] in words
    for each in words:
        assert run_here((*each, "--help"), sqlite_home.environ()).code == 0, each


def test_the_backup_unit_writes_a_backup_and_proves_the_ledger(
    sqlite_home: Home, tmp_path: Path
) -> None:
    sqlite_home.account("5")
    kept = tmp_path / "kept"
    kept.mkdir()
    [unit] = [unit for unit in UNITS if unit.stem == "gatehouse-backup"]
    environ = sqlite_home.environ(STATE_DIRECTORY=str(kept))
    for line in _lines(unit, "ExecStart"):
        command = line.replace("/opt/gatehouse/bin/gatehouse", str(fork_server().launcher))
        # What systemd writes twice is once what the shell sees.
        command = command.replace("%%", "%").replace("$$", "$")
        done = subprocess.run(
            ["sh", "-c", command], env=environ, capture_output=True, timeout=PATIENCE_S, check=False
        )
        assert done.returncode == 0, done.stderr
    [backup] = kept.iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z\.backup", backup.name)
