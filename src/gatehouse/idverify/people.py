"""The people an identity source knows: who holds a card, and what is on record about them."""

from enum import StrEnum
from typing import Final

from gatehouse.core.secrets.hidden import Personal


class OwnerType(StrEnum):
    """How a person holds a card."""

    PRIMARY = "PRIMARY"
    SECONDARY = "SECONDARY"


class IdentifierType(StrEnum):
    """The kinds of government identifiers."""

    DRIVERLICENSE = "DRIVERLICENSE"
    PASSPORT = "PASSPORT"
    NATIONALIDENTITY = "NATIONALIDENTITY"
    TAX = "TAX"


ALL_IDENTIFIER_TYPES: Final = frozenset(IdentifierType)


class PersonName(Personal, frozen=True, rename="camel", omit_defaults=True):
    """One name of a person, in parts; as a request sends it and as a record holds it."""

    last_name: str | None = None
    first_name: str | None = None
    middle_name: str | None = None


class Identifier(Personal, frozen=True, omit_defaults=True):
    """One identifier of a person."""

    type: IdentifierType
    value: str
    country: str | None = None
    """ISO 3166 alpha-2; guides how values are written and checked."""


class Person(Personal, frozen=True, rename="camel", omit_defaults=True):
    """One holder of a card. It is never printed, because its values are personal data.

    Phones are kept in E.164 (``+442079460958``, with ``;ext=12`` for an extension) and e-mail
    addresses as they were given; both are checked on import.
    """

    owner_type: OwnerType = OwnerType.PRIMARY
    names: tuple[PersonName, ...] = ()
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
