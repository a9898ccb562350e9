"""Every link between the pages leads somewhere."""

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, anchors, links, pages


def test_there_are_pages() -> None:
    names = {str(page.relative_to(ROOT)) for page in pages()}
    assert {"README.md", "ARCHITECTURE.md", "docs/api.md"} <= names


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    for link in links(page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.is_relative_to(ROOT), f"{link} leads out of the project"
        assert target.is_file(), f"{link}: no such file"
        if anchor:
            assert anchor in anchors(target.read_text()), f"{link}: no such heading"


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in pages()
        for link in links(page.read_text())
        if "://" not in link and not link.startswith("#")
    }
    assert [page for page in pages() if page not in linked and page.name != "README.md"] == []


def test_the_decisions_are_numbered_without_gaps_and_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    numbered = sorted(folder.glob("0*.md"))
    assert [int(page.name[:4]) for page in numbered] == list(range(1, len(numbered) + 1))
    listed = links((folder / "README.md").read_text())
    assert listed == [page.name for page in numbered]
    for page in numbered:
        text = page.read_text()
        assert text.startswith(f"# {page.name[:4]}: ")
        assert all(part in text for part in ("## Context", "## Decision", "## Consequences"))
