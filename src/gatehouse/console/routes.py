"""All pages and actions of the console: the lists of its subjects, one after the other."""

from typing import Final

from gatehouse.console import entry, home, preferences
from gatehouse.console.pages import Declared

DECLARED: Final[tuple[Declared, ...]] = (
    *entry.PAGES,
    *home.PAGES,
    *preferences.PAGES,
)
