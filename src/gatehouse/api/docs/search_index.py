"""What the search of the reference looks through: every section of the guides, and operations.

A browser fetches it when somebody searches, and looks through it itself: no server works for that.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_MARKS: Final = re.compile(r"^```\w*$|^\|[\s:|-]+\|$|^#+ |[`*|]|<!--.*?-->", re.MULTILINE)
_SPACE: Final = re.compile(r"\s+")
_LONGEST: Final = 20_000
"""Characters of one section."""


class IndexedSection(NamedTuple):
    """A place that a search can lead to."""

    address: str
    page: str
    title: str
    text: str


class GuideSection(NamedTuple):
    """The Markdown below one heading of a guide."""

    title: str
    anchor: str
    text: str


def indexed_guide(address: str, sections: Iterable[GuideSection]) -> list[IndexedSection]:
    """The sections of one guide, whose first heading is its title."""
    found = list(sections)
    page = found[0].title if found else ""
    return [
        IndexedSection(f"{address}#{each.anchor}", page, each.title, plain_text(each.text))
        for each in found
    ]


def plain_text(markdown: str) -> str:
    """A text as people read it: without marks, addresses and lines."""
    text = _MARKS.sub(" ", _LINK.sub(r"\1", markdown))
    return _SPACE.sub(" ", text).strip()[:_LONGEST]


def encoded_index(sections: Iterable[IndexedSection]) -> bytes:
    """The index as browsers are given it."""
    return msgspec.json.encode([*sections])
