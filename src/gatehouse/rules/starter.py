"""The rule set that every new account begins with: the file, what it was read into, its lists."""

from importlib import resources
from typing import Final

import msgspec

STARTER_NAME: Final = "starter"


class StarterList(msgspec.Struct, frozen=True):
    """A list that the starter rule set speaks of; new accounts have it, empty."""

    name: str
    kind: str
    about: str


STARTER_LISTS: Final = (
    StarterList("allowed-cards", "cards", "Cards that are always accepted"),
    StarterList("allowed-users", "users", "Customers who are always accepted"),
    StarterList("blocked-cards", "cards", "Cards that are declined"),
    StarterList("blocked-bins", "bins", "First digits of cards that are declined"),
    StarterList("blocked-networks", "networks", "Addresses and networks that are declined"),
    StarterList("blocked-emails", "emails", "E-mail addresses that are declined"),
    StarterList("blocked-domains", "domains", "Domains of e-mail addresses that are declined"),
    StarterList("blocked-users", "users", "Customers who are declined"),
    StarterList("blocked-countries", "countries", "Countries that are declined"),
)


def starter_document() -> str:
    """The file, with its comments."""
    return _read("starter.yaml")


def starter_program() -> str:
    """What the file was read into; a test holds both together."""
    return _read("starter.json").strip()


def _read(name: str) -> str:
    return resources.files("gatehouse.rules").joinpath(name).read_text("utf-8")
