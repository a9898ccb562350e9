"""The API reference, as `scripts/reference` has rendered it from the OpenAPI document.

It can be read without scripts and loads nothing; its own script adds search and copying.
"""

import lzma
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import Any, Final

import msgspec

from gatehouse.api.docs import markup
from gatehouse.api.openapi.manage import is_managing

PACKED: Final = "reference.msgpack.xz"
BASE: Final = "https://gatehouse.invalid"
"""What stands for the address of the server."""
REFERENCES: Final = {"/docs": False, "/docs/manage": True}
"""Addresses of the pages, and whether they are about the management API."""


class ReferencePage(msgspec.Struct, frozen=True, array_like=True):
    """The parts of a page that are the same on every server, as HTML but for the title."""

    title: str
    brand: str
    menu: str
    content: str

    def shown(self, base_url: str, guides: Mapping[str, str], *, can_try: bool = False) -> str:
        """The page, whose examples call the server at `base_url`; guides by their addresses."""
        titles = {address: escape(title) for address, title in guides.items()}
        menu = self.menu + (markup.links("Guides", titles) if titles else "")
        content = self.content.replace(BASE, escape(base_url.rstrip("/")))
        return markup.page(self.title, self.brand, menu, content, can_try=can_try)


def read_references() -> dict[str, ReferencePage]:
    """Both pages by their addresses."""
    packed = (resources.files(__package__) / PACKED).read_bytes()
    return msgspec.msgpack.decode(lzma.decompress(packed), type=dict[str, ReferencePage])


def of_page(document: dict[str, Any], *, managing: bool) -> dict[str, Any]:
    """Operations, or the management API, which would make the page slow to load on a phone."""
    paths = {path: one for path, one in document["paths"].items() if is_managing(path) is managing}
    return {**document, "paths": paths}
