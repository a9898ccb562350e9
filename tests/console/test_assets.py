"""The files that browsers load: those of others are as they were published."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from gatehouse.console.assets import asset_url, assets
from gatehouse.console.rendering import TEMPLATES
from gatehouse.console.tables import labelled
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


RAW = {
    "colour": r"#[0-9a-fA-F]{3,8}\b(?=[^{}]*[;}])|\b(?:rgba?|hsla?|oklch|light-dark)\(",
    "size of type": r"\bfont(?:-size)?: [\d.]",
    "space": r"(?<![-\w])(?:padding|margin|gap)[a-z-]*: (?:[^;}(]*[ :])?(?:[4-9]|\d\d+)px",
}
"""What only tokens.css may write as a value, as it would look elsewhere."""


def test_style_sheets_take_colours_sizes_and_spaces_from_the_tokens() -> None:
    sheets = {name: asset.body.decode() for name, asset in assets().items() if name.endswith("css")}
    tokens = sheets.pop("tokens.css")
    defined = set(re.findall(r"^  (--[\w-]+):", tokens, re.MULTILINE))
    used = set()
    for name, sheet in sheets.items():
        if name.startswith("vendor/"):
            continue
        for line in sheet.splitlines():
            used |= set(re.findall(r"var\((--[\w-]+)", line))
            # What a chart writes is in units of its picture, not of the page.
            for what, raw in RAW.items():
                assert ".chart text" in line or not re.search(raw, line), f"{name}: {what}: {line}"
    assert used <= defined, used - defined


def test_a_cell_says_the_name_of_its_column_where_rows_are_cards() -> None:
    rows = '<tr><th scope="row">a</th><td class="num">1</td></tr><tr><td colspan="2">b</td></tr>'
    named = labelled(rows, ["Who", ('"How" many', "num")])
    assert named == (
        '<tr><th scope="row" data-label="Who">a</th>'
        '<td class="num" data-label="&#34;How&#34; many">1</td></tr>'
        '<tr><td colspan="2" data-label="">b</td></tr>'
    )
