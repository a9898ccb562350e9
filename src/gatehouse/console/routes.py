"""All pages and actions of the console: the lists of its subjects, one after the other."""

from typing import Final

<<<<<<< HEAD
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
=======
from gatehouse.console import entry, home, people, preferences, profile
>>>>>>> f2ef884bae5ddcb2cb03115209f9be58d7564724
from gatehouse.console.pages import Declared

DECLARED: Final[tuple[Declared, ...]] = (
    *entry.PAGES,
    *decision.PAGES,
    *reviews.PAGES,
    *entities.PAGES,
    *home.PAGES,
    *people.PAGES,
    *preferences.PAGES,
<<<<<<< HEAD
    *money.PAGES,
    *keys.PAGES,
    *webhooks.PAGES,
    *settings.PAGES,
    *accounts.PAGES,
    *connectors.PAGES,
=======
    *profile.PAGES,
>>>>>>> f2ef884bae5ddcb2cb03115209f9be58d7564724
)
