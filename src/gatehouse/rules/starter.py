"""The rule set that every new account begins with: its file, its checked form and its lists."""

import functools
from importlib import resources
from typing import Final

import msgspec

STARTER_NAME: Final = "starter"


class StarterList(msgspec.Struct, frozen=True):
    """A list that the starter rule set uses; new accounts have it, empty."""

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
    """The checked form of the file; a test compares the two."""
    return _read("starter.json").strip()


@functools.cache
def _read(name: str) -> str:
    return resources.files("gatehouse.rules").joinpath(name).read_text("utf-8")
