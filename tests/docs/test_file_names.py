"""The pages for contributors name files that exist."""

import re

import pytest

from tests.docs.pages import ROOT

PACKAGE = ROOT / "src" / "gatehouse"
NAMED = re.compile(r"`((?:[a-z0-9_]+/)*[a-z0-9_]+\.(?:py|toml|yaml))`")


def _exists(name: str, page: str) -> bool:
    if (PACKAGE / name).exists() or (ROOT / name).exists():
        return True
    # "`memory_local.py`" stands for a file of the room that the same paragraph is about.
    rooms = re.findall(r"`([a-z]+(?:/[a-z_]+)*)/?`", page)
    return "/" not in name and any((PACKAGE / room / name).exists() for room in rooms)


@pytest.mark.parametrize(
    "page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/first-change.md"]
)
def test_a_file_that_is_named_exists(page: str) -> None:
    text = (ROOT / page).read_text()
    missing = {
        name
        for paragraph in text.split("\n\n")
        for name in NAMED.findall(paragraph)
        if not _exists(name, paragraph)
    }
    # Files that every room of a stage has.
    assert missing - {"spec.py", "stage.py", "request.py", "response.py"} == set()


def test_every_room_is_on_the_page_about_the_architecture() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    rooms = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith("__")}
    assert [room for room in sorted(rooms) if not re.search(rf"\b{room}\b", page)] == []


def test_the_contract_and_the_page_name_the_same_lines() -> None:
    settings = (ROOT / "pyproject.toml").read_text()
    lines = re.search(r"(?ms)^layers = \[\n(.*?)^\]", settings)
    assert lines is not None
    contract = [re.findall(r"[a-z_]+", line) for line in lines[1].splitlines()]
    drawn = re.search(r"(?s)```text\n(.*?)```", (ROOT / "ARCHITECTURE.md").read_text())
    assert drawn is not None
    names = re.findall(r"[a-z_]+", re.sub(r"(?m)(?<=\S) {2,}.*$", "", drawn[1]))
    assert names == [name for line in contract for name in line]
