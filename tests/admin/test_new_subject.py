"""`make new-subject` writes a subject that works: tried in a copy of the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = "memos"
SHOWN = """
import json
import gatehouse.operations.stages
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.console.routes import DECLARED
from gatehouse.core.subject import subjects
print(json.dumps({
    "paths": sorted(f"{e.method} {e.path}" for e in all_endpoints() if "/memos" in e.path),
    "pages": sorted(each.name for each in DECLARED if "memo" in each.name),
    "commands": [c.name for s in subjects() for c in s.commands if s.name == "memos"],
}))
"""
GUARDS = (
    f"tests/admin/{NAME}",
    *("tests/admin/test_subjects.py", "tests/admin/test_reach.py"),
    *("tests/admin/test_actor_checks.py", "tests/console/test_texts.py"),
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the new subject needs."""
    copy = tmp_path_factory.mktemp("new") / "checkout"
    large = shutil.ignore_patterns("*.xz", "*.gz")
    for folder in ("src", "tests", "scripts"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=large)
    for packed in (ROOT / "src").rglob("*.[xg]z"):
        (copy / packed.relative_to(ROOT)).symlink_to(packed)
    for file in ("pyproject.toml", "docs"):
        (copy / file).symlink_to(ROOT / file)
    return copy


def _run(checkout: Path, *words: str) -> str:
    clean = {name: value for name, value in os.environ.items() if "GATEHOUSE_" not in name}
    environ = {**clean, "PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=checkout, env=environ, text=True, capture_output=True,
        check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_subject_has_every_face_and_passes_its_tests_and_all_guards(checkout: Path) -> None:
    written = _run(checkout, "-m", "scripts.new_subject", NAME, "--root", str(checkout))
    assert f"src/gatehouse/admin/{NAME}/use_cases.py" in written
    assert not [path for path in checkout.glob(f"src/gatehouse/admin/{NAME}/**/*") if
                path.is_file() and re.search("(?i)note", path.read_text())]  # fmt: skip
    faces = json.loads(_run(checkout, "-c", SHOWN))
    assert faces == {
        "paths": ["DELETE /memos/{memoId}", "GET /memos", "POST /memos"],
        "pages": ["memo-add", "memo-remove", "memos"],
        "commands": ["memos"],
    }
    _run(checkout, "-m", "ruff", "check", "--quiet", f"src/gatehouse/admin/{NAME}")
    _run(checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", *GUARDS)


@pytest.mark.parametrize("name", ["Notes", "note", "keys", "../etc", ""])
def test_a_name_that_is_no_plural_or_is_taken_writes_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "src/gatehouse/admin/keys").mkdir(parents=True)
    versions = tmp_path / "src/gatehouse/store/migrations/versions"
    versions.mkdir(parents=True)
    (versions / "0001_a.py").touch()
    before = sorted(tmp_path.rglob("*"))
    words = ["-m", "scripts.new_subject", name, "--root", str(tmp_path)]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 2
    assert sorted(tmp_path.rglob("*")) == before
