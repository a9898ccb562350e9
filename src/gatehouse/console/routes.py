"""All pages and actions of the console: the lists of its subjects, one after the other."""

from typing import Final

from gatehouse.console import (
    accounts,
    audit,
    connectors,
    decision,
    entities,
    entry,
    home,
    keys,
    lists,
    models,
    money,
    overview,
    people,
    playground,
    preferences,
    profile,
    reviews,
    settings,
    single_sign_on,
    webhooks,
)
from gatehouse.console.pages import Declared

DECLARED: Final[tuple[Declared, ...]] = (
    *entry.PAGES,
    *decision.PAGES,
    *reviews.PAGES,
    *entities.PAGES,
    *home.PAGES,
    *overview.PAGES,
    *people.PAGES,
    *preferences.PAGES,
    *lists.PAGES,
    *models.PAGES,
    *money.PAGES,
    *keys.PAGES,
    *webhooks.PAGES,
    *settings.PAGES,
    *playground.PAGES,
    *accounts.PAGES,
    *audit.PAGES,
    *connectors.PAGES,
    *profile.PAGES,
    *single_sign_on.PAGES,
)
