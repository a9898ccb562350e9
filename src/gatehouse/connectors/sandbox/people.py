"""The holders of the sandbox's cards, read from people.toml: one source for behaviour and docs."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from gatehouse.core.api_values import CamelStruct
from gatehouse.idverify.people import ALL_IDENTIFIER_TYPES, IdentifierType, Person
from gatehouse.idverify.source import Holders


class SandboxHolder(msgspec.Struct, frozen=True):
    """One entry of the file."""

    card: str
    about: str
    person: Person

    @property
    def names(self) -> str:
        """The names for a table: first, middle and last, with a dash for what is not there."""
        return " / ".join(
            ", ".join(part or "-" for part in (name.first_name, name.middle_name, name.last_name))
            for name in self.person.names
        )

    @property
    def contacts(self) -> tuple[str, str, str]:
        """E-mail addresses, phone numbers and identifiers for a table."""
        identifiers = (f"{one.type} {one.value} ({one.country})" for one in self.person.identifiers)
        person = self.person
        return " / ".join(person.emails), " / ".join(person.phones), ", ".join(identifiers)


class _Limit(CamelStruct):
    card: str
    holds_names: bool = True
    identifier_types: frozenset[IdentifierType] = ALL_IDENTIFIER_TYPES


@cache
def _file() -> dict[str, Any]:
    folder = resources.files("gatehouse.connectors.sandbox")
    return tomllib.loads(folder.joinpath("people.toml").read_text("utf-8"))


@cache
def all_holders() -> tuple[SandboxHolder, ...]:
    """Every holder, in the order of the file."""
    return tuple(
        SandboxHolder(row["card"], row["about"], msgspec.convert(row, Person))
        for row in _file()["holder"]
    )


@cache
def _by_card() -> dict[str, Holders]:
    limits = {row["card"]: msgspec.convert(row, _Limit) for row in _file()["limit"]}
    people: dict[str, tuple[Person, ...]] = {}
    for holder in all_holders():
        people[holder.card] = (*people.get(holder.card, ()), holder.person)
    known = {card: limits.get(card, _Limit(card)) for card in people}
    return {
        card: Holders(people[card], limit.identifier_types, limit.holds_names)
        for card, limit in known.items()
    }


def holders_of(card: str) -> Holders:
    """The holders of a card; none for a card that is not in the file."""
    return _by_card().get(card, Holders())
