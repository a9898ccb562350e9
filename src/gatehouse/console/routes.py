"""All pages and actions of the console: the lists of its subjects, one after the other."""

from typing import Final

from gatehouse.console import (
    decision,
    entities,
    entry,
    home,
    people,
    preferences,
    profile,
    single_sign_on,
)
from gatehouse.console.pages import Declared

DECLARED: Final[tuple[Declared, ...]] = (
    *entry.PAGES,
    *decision.PAGES,
    *entities.PAGES,
    *home.PAGES,
    *people.PAGES,
    *preferences.PAGES,
    *profile.PAGES,
    *single_sign_on.PAGES,
)
