"""Writes the pages of the API reference, packed: part of `make docs`.

Run it after a change of the OpenAPI document; a test holds both together.
"""

import lzma
from pathlib import Path
from typing import Any

import msgspec

# isort: split
import gatehouse.operations.stages  # noqa: F401  # registers the stages, before the document is made

# isort: split
from tests.web.test_openapi import DOCUMENT

from gatehouse.api.docs import reference
from gatehouse.api.docs.guides import API_GUIDE, guide_address, headings_of
from gatehouse.api.docs.reference import PACKED, REFERENCES, ReferencePage, of_page
from scripts.reference.rendering import render_reference

OUT = Path(reference.__file__).with_name(PACKED)
ROOT = Path(__file__).parents[2]
TOPICS = {"Decisions": "Decision records", "Pipelines": "The account's pipelines"}
"""Groups of operations whose chapter in the API guide has another name."""


def rendered(document: dict[str, Any]) -> dict[str, ReferencePage]:
    """Both pages by their addresses, with links to the guides of this checkout."""
    chapters = _chapters((ROOT / API_GUIDE).read_text("utf-8"))
    return {
        address: render_reference(of_page(document, managing=managing), chapters)
        for address, managing in REFERENCES.items()
    }


def _chapters(guide: str) -> dict[str, str]:
    """Addresses, by the operation or group of operations that a chapter is about."""
    own = {title: f"{guide_address(API_GUIDE)}#{anchor}" for _, title, anchor in headings_of(guide)}
    also = {topic: own[title] for topic, title in TOPICS.items()}
    return {**own, **also, "Manage": guide_address("docs/manage.md")}


def main() -> None:
    packed = lzma.compress(
        msgspec.msgpack.encode(rendered(DOCUMENT)), preset=9 | lzma.PRESET_EXTREME
    )
    if OUT.exists() and OUT.read_bytes() == packed:
        return
    OUT.write_bytes(packed)
    print(f"{OUT.name}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
