"""An earlier version is taken from a tag, a commit or a wheel, and is what Python finds then."""

import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest
from scripts.bench.servers import Server
from scripts.bench.subjects import SUBJECTS
from scripts.bench.versions.comparing import Ratio
from scripts.bench.versions.earlier import (
    EarlierVersion,
    NoVersion,
    earlier_version,
    last_release,
    previous_release,
)

_WHICH = "import gatehouse; print(gatehouse.WHICH)"


def _git(repository: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.com")
    subprocess.run(["git", *who, *arguments], cwd=repository, check=True, capture_output=True)


def _commit(repository: Path, which: str, version: str = "1.0") -> None:
    package = repository / "src" / "gatehouse"
    package.mkdir(parents=True, exist_ok=True)
    (repository / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (package / "__init__.py").write_text(f"WHICH = {which!r}\n", encoding="utf-8")
    (repository / "scripts").mkdir(exist_ok=True)
    (repository / "scripts" / "__init__.py").touch()
    _git(repository, "add", "-A")
    _git(repository, "commit", "-m", which)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init")
    _commit(tmp_path, "first")
    return tmp_path


def _found(version: EarlierVersion) -> str:
    command = [sys.executable, "-c", _WHICH]
    done = subprocess.run(command, env=version.environment, check=True, capture_output=True)
    return done.stdout.decode().strip()


def test_the_newest_tag_is_exported_and_found_before_the_installed_version(
    repository: Path,
) -> None:
    _git(repository, "tag", "v1.0")
    _commit(repository, "second")
    assert last_release(repository) == "v1.0"
    with earlier_version("v1.0", repository) as earlier:
        assert earlier.name.startswith("v1.0 (")
        assert _found(earlier) == "first"
    assert not earlier.program.exists()


def test_without_another_version_the_message_says_how_to_name_one(repository: Path) -> None:
    with pytest.raises(NoVersion, match="--beside REF"):
        last_release(repository)


def test_without_a_tag_the_last_commit_with_another_version_is_the_release_before(
    repository: Path,
) -> None:
    _commit(repository, "second")
    _commit(repository, "third", "1.1")
    _commit(repository, "fourth", "1.1")
    with earlier_version(last_release(repository), repository) as earlier:
        assert _found(earlier) == "second"
    _git(repository, "tag", "v1.0", "HEAD~3")
    assert previous_release(repository) == "v1.0"
    _commit(repository, "fifth", "1.2")
    with earlier_version(previous_release(repository), repository) as earlier:
        assert _found(earlier) == "fourth"


def test_what_is_no_version_is_refused(repository: Path) -> None:
    with pytest.raises(NoVersion, match="neither"), earlier_version("nothing", repository):
        pass


def test_a_wheel_is_found_before_the_installed_version(tmp_path: Path) -> None:
    wheel = tmp_path / "gatehouse-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("gatehouse/__init__.py", "WHICH = 'wheel'\n")
    with earlier_version(str(wheel), tmp_path) as earlier:
        assert earlier.name == wheel.name
        assert _found(earlier) == "wheel"


def test_the_shop_is_made_by_the_benchmark_of_the_earlier_version(repository: Path) -> None:
    benchmark = repository / "scripts" / "bench"
    benchmark.mkdir()
    (benchmark / "__init__.py").touch()
    text = """
from gatehouse import WHICH

class Shop:
    account_id, key = "acct_" + WHICH, "key"

class Subject:
    key = "precheck"
    def shop(self, home):
        print("a line that a version prints")
        return Shop()

SUBJECTS = [Subject()]
"""
    (benchmark / "subjects.py").write_text(text, encoding="utf-8")
    _commit(repository, "own")
    with earlier_version("HEAD", repository) as earlier:
        shop = earlier.shop(SUBJECTS[0], repository / "home")
    assert (shop.account_id, shop.key) == ("acct_own", "key")
    assert shop.environment["GATEHOUSE_HOME"] == str(repository / "home")
    assert shop.environment["PYTHONPATH"].startswith(str(earlier.program))


def test_ratios_are_those_of_neighbouring_rounds() -> None:
    # The machine is three times as slow in the last round, for both.
    found = Ratio.of([11, 12, 10, 33], [10, 10, 10, 30])
    assert found.median == pytest.approx(1.1)
    assert found.low == pytest.approx(1.075)
    assert found.high == pytest.approx(1.125)


def test_the_processor_time_is_that_of_all_processes_of_a_server() -> None:
    spin = "t = time.process_time()\nwhile time.process_time() < t + 0.2: pass\n"
    child = f"import time\n{spin}print('ready', flush=True)\ntime.sleep(600)"
    ended = f"import time\n{spin}"
    parent = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {ended!r}])\n"
        f"subprocess.run([sys.executable, '-c', {child!r}])"
    )
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE)
    assert process.stdout is not None
    tree = psutil.Process(process.pid)
    try:
        assert process.stdout.readline() == b"ready\n"
        own = tree.cpu_times()
        # Nearly all of it was spent by a child that has ended and by one that has not.
        assert Server(0, tree).cpu_s() - own.user - own.system >= 0.38
        assert Server(0, tree).cpu_at_rest_s() >= 0.38
    finally:
        for each in (*tree.children(), tree):
            each.kill()
        process.wait()
        process.stdout.close()
