"""The editor's bundle is made from its sources and its lock, and from nothing else."""

import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from gatehouse.console.assets import assets
from tests.installed_programs import NPM, npm_packages, run

SOURCE = Path(__file__).parents[2] / "scripts" / "editor"
PARTS = ("build.mjs", "editor.js", "package-lock.json")


def test_the_bundle_names_the_sources_that_it_was_made_from() -> None:
    made_from = sha256(b"".join((SOURCE / name).read_bytes() for name in PARTS)).hexdigest()
    first = assets()["editor.js"].body.partition(b"\n")[0].decode()
    assert made_from in first, "rebuild it with: make editor"
    assert "editor.LICENSE.txt" in assets()


def test_the_lock_pins_every_package_by_hash_and_names_no_host() -> None:
    lock = (SOURCE / "package-lock.json").read_text()
    assert "://" not in lock
    assert lock.count('"integrity": "sha512-') == lock.count('"node_modules/')


@pytest.mark.node
def test_the_bundle_is_what_its_sources_make(tmp_path: Path) -> None:
    if NPM is None:
        pytest.skip("NPM IS MISSING: the editor of the console was not rebuilt")
    packages = npm_packages("editor", SOURCE)
    folder = tmp_path / "editor"
    folder.mkdir()
    for name in PARTS:
        shutil.copy(SOURCE / name, folder)
    (folder / "node_modules").symlink_to(packages)
    run(["node", "build.mjs", tmp_path / "made.js"], folder)
    assert (tmp_path / "made.js").read_bytes() == assets()["editor.js"].body
