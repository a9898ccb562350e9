"""All pages and actions of the console: the lists of its subjects, one after the other."""

from typing import Final

from gatehouse.console import (
    accounts,
    connectors,
    decision,
    entities,
    entry,
    home,
    keys,
    money,
    preferences,
    reviews,
    settings,
    webhooks,
)
from gatehouse.console.pages import Declared

DECLARED: Final[tuple[Declared, ...]] = (
    *entry.PAGES,
    *decision.PAGES,
    *reviews.PAGES,
    *entities.PAGES,
    *home.PAGES,
    *preferences.PAGES,
    *money.PAGES,
    *keys.PAGES,
    *webhooks.PAGES,
    *settings.PAGES,
    *accounts.PAGES,
    *connectors.PAGES,
)
