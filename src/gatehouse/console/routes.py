"""All pages and actions of the console: its own, and those of every subject."""

from typing import Final

from gatehouse.console import preferences
from gatehouse.console.pages import Declared
from gatehouse.core.subject import declared, written_out_first

DECLARED: Final[tuple[Declared, ...]] = tuple(
    sorted((*preferences.PAGES, *declared("pages")), key=lambda page: written_out_first(page.path))
)
