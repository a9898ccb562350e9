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
from gatehouse.api.docs.guides import GuidePages, guides_root
from gatehouse.api.docs.reference import PACKED, REFERENCES, ReferencePage, of_page
from scripts.reference.rendering import render_reference

OUT = Path(reference.__file__).with_name(PACKED)


def rendered(document: dict[str, Any]) -> dict[str, ReferencePage]:
    """Both pages by their addresses, with links to the guides of this checkout."""
    chapters = GuidePages(guides_root()).guides.chapters
    return {
        address: render_reference(of_page(document, managing=managing), chapters)
        for address, managing in REFERENCES.items()
    }


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
