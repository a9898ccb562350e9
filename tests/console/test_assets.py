"""The files that browsers load: those of others are as they were published."""

from hashlib import sha256
from pathlib import Path

import pytest

from gatehouse.console.assets import asset_url, assets
from gatehouse.console.rendering import TEMPLATES
from tests.console.harness import Console

VENDORED = {
    "htmx.min.js": "e484d9171a9db30a39c8f16e3d709d4137f3211c659f8e6125816635033d593f",
    "uplot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uplot.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
}
"""Files of npm packages: htmx.org 4.0.0 and uplot 1.6.32."""


def test_files_of_others_are_as_they_were_published() -> None:
    here = {name.removeprefix("vendor/") for name in assets() if name.startswith("vendor/")}
    licences = {name for name in here if name.endswith(".txt")}
    assert here - licences == set(VENDORED)
    assert licences == {"htmx.LICENSE.txt", "uplot.LICENSE.txt"}
    for name, expected in VENDORED.items():
        assert sha256(assets()[f"vendor/{name}"].body).hexdigest() == expected, name


def test_a_file_is_kept_by_browsers_as_long_as_it_stays_the_same(console: Console) -> None:
    url = asset_url("console.css")
    kept = console.stranger().get(url)
    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert kept.headers["content-type"] == "text/css; charset=utf-8"
    old = console.stranger().get("/static/console.css?v=old")
    assert old.headers["cache-control"] == "no-store"
    assert old.text == kept.text


@pytest.mark.parametrize("path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "nothing.js", ""])
def test_nothing_else_of_the_machine_can_be_read(console: Console, path: str) -> None:
    assert console.stranger().get(f"/static/{path}").status_code == 404


def test_templates_hold_no_script_no_style_and_nothing_unescaped() -> None:
    names: list[Path] = []
    for folder in TEMPLATES:
        for file in folder.rglob("*.html"):
            names.append(file.relative_to(folder))
            text = file.read_text()
            assert "style=" not in text, file
            assert "<style" not in text, file
            assert "|safe" not in text.replace(" ", ""), file
            assert " on" + "click" not in text, file
            assert text.count("<script") == text.count("<script src="), file
    assert len(names) == len(set(names)) > 60, "a template of the same name would hide another"
