"""What the search of the reference looks through: every section of the guides, and operations.

A browser fetches it when somebody searches, and looks through it itself: no server works for that.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_MARKS: Final = re.compile(r"^```\w*$|^\|[\s:|-]+\|$|^#+ |[`*|]|<!--.*?-->", re.MULTILINE)
_SPACE: Final = re.compile(r"\s+")
_LONGEST: Final = 20_000
"""Characters of one section."""
METHODS: Final = ("get", "post", "put", "patch", "delete", "head", "options", "trace")


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


def indexed_operations(document: dict[str, Any], address: str) -> Iterator[IndexedSection]:
    """The operations of a document, which are described at this address."""
    page = document["info"]["title"]
    for path, item in document.get("paths", {}).items():
        for method in (each for each in METHODS if each in item):
            spec = item[method]
            name = spec.get("operationId") or f"{method}{path}"
            text = plain_text(f"{method.upper()} {path} {spec.get('description', '')}")
            place = f"{address}#{operation_anchor(name)}"
            yield IndexedSection(place, page, spec.get("summary") or name, text)


def operation_anchor(name: str) -> str:
    """Where an operation is on its page."""
    return "op-" + re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")


def plain_text(markdown: str) -> str:
    """A text as people read it: without marks, addresses and lines."""
    text = _MARKS.sub(" ", _LINK.sub(r"\1", markdown))
    return _SPACE.sub(" ", text).strip()[:_LONGEST]


def encoded_index(sections: Iterable[IndexedSection]) -> bytes:
    """The index as browsers are given it."""
    return msgspec.json.encode([*sections])
