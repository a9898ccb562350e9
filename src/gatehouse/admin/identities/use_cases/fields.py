"""Reads the single values of an identity record and collects everything that is wrong with them.

A problem names the field, never the value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from gatehouse.core.cards.fingerprints import INNER
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.files.records import FieldProblem
from gatehouse.core.wording.text import is_blank
from gatehouse.idverify.people import Identifier, IdentifierType, OwnerType, PersonName
from gatehouse.intel.emails import parse_email
from gatehouse.intel.phones import parse_phone
from gatehouse.intel.places import is_country
from gatehouse.store.admin.named_cards import NamedCards

MOST_OF_EACH: Final = 16
NAME_PARTS: Final = ("firstName", "middleName", "lastName")
_LENGTHS: Final = {"name": 64, "email": 254, "phone": 32, "identifier": 64, "reference": 128}
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# An extension is written with a semicolon too: +441632960961;ext=12
_SEPARATOR: Final = re.compile(r";(?!\s*ext=)")
FieldValue = tuple[str, Any]
"""The name of a field, and its value."""


class FieldReader:
    """Reads the values of one record."""

    def __init__(self) -> None:
        self.problems: list[FieldProblem] = []

    def add(self, field: str, reason: str) -> None:
        """Note a problem."""
        self.problems.append(FieldProblem(field, reason))

    def text(self, field: str, value: Any, kind: str) -> str | None:
        """A value without blanks around it; None when it is missing or cannot be used."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.add(field, "must be text")
            return None
        text = value.strip()
        if is_blank(text):
            self.add(field, "must not be blank")
        elif len(text) > _LENGTHS[kind]:
            self.add(field, f"must have at most {_LENGTHS[kind]} characters")
        elif _UNFIT.search(text):
            self.add(field, "must not contain control characters")
        else:
            return text
        return None

    def name(self, prefix: str, parts: Mapping[str, Any]) -> PersonName | None:
        """A name of which at least one part is given."""
        first, middle, last = (
            self.text(prefix + part, parts.get(part), "name") for part in NAME_PARTS
        )
        if first is None and middle is None and last is None:
            if prefix and not any(parts.values()):
                self.add(prefix.removesuffix("."), "has no part of a name")
            return None
        return PersonName(last_name=last, first_name=first, middle_name=middle)

    def emails(self, given: Iterable[FieldValue]) -> tuple[str, ...]:
        """E-mail addresses, as they are written."""
        found: dict[str, None] = {}
        for field, value in given:
            text = self.required(field, value, "email")
            if text is not None and parse_email(text) is None:
                self.add(field, "is not an e-mail address")
            elif text is not None:
                found[text] = None
        return tuple(found)

    def phones(self, given: Iterable[FieldValue], country: str | None) -> tuple[str, ...]:
        """Phone numbers in the form in which they are stored."""
        found: dict[str, None] = {}
        for field, value in given:
            text = self.required(field, value, "phone")
            if text is None:
                continue
            phone = parse_phone(text, country)
            if phone is None:
                self.add(field, "is not a phone number; write +441632960961, or add phoneCountry")
            else:
                found[phone.canonical] = None
        return tuple(found)

    def identifier(
        self, kind: IdentifierType | None, value: FieldValue, country: FieldValue
    ) -> Identifier | None:
        """An identifier with the country that issued it."""
        text = self.required(*value, "identifier")
        code = self.country(*country)
        return None if text is None or kind is None else Identifier(kind, text, code)

    def identifier_type(self, field: str, value: Any) -> IdentifierType | None:
        """A kind of identifier, in any case."""
        if isinstance(value, str) and value.upper() in IdentifierType.__members__:
            return IdentifierType[value.upper()]
        self.add(field, f"must be one of {', '.join(IdentifierType)}")
        return None

    def owner_type(self, field: str, value: Any) -> OwnerType:
        """How the person holds the card, in any case."""
        if value is None:
            return OwnerType.PRIMARY
        if isinstance(value, str) and value.strip().upper() in OwnerType.__members__:
            return OwnerType[value.strip().upper()]
        self.add(field, f"must be {' or '.join(OwnerType)}")
        return OwnerType.PRIMARY

    def country(self, field: str, value: Any) -> str | None:
        """A country's code."""
        if value is None:
            return None
        if isinstance(value, str) and is_country(value.strip().upper()):
            return value.strip().upper()
        self.add(field, "must be an ISO 3166 code of two letters, such as GB")
        return None

    def card_number(self, field: str, value: Any, cards: NamedCards) -> str | None:
        """The inner fingerprint of a card number, which may be grouped as on the card."""
        if value is None:
            self.add(field, "is required")
            return None
        if not isinstance(value, str):
            self.add(field, "must be text")
            return None
        try:
            return cards.of(CardNumber.parse(re.sub(r"[ -]", "", value)))
        except ValueError as error:
            self.add(field, str(error))
            return None

    def card_fingerprint(self, field: str, value: Any, cards: NamedCards) -> str | None:
        """The inner fingerprint, from that of an export of the scope.

        Exports of earlier versions hold the inner one.
        """
        inner, fingerprints, scope = None, cards.fingerprints, cards.account_id
        if isinstance(value, str):
            inner = value if INNER.fullmatch(value) else fingerprints.opened(scope, value)
        if inner is None:
            self.add(field, "is not a card's fingerprint, or one of another account's export")
        elif not inner.startswith(fingerprints.prefix):
            self.add(field, "is the fingerprint of an earlier key; give cardNumber")
            return None
        return inner

    def required(self, field: str, value: Any, kind: str) -> str | None:
        """A value that must be there."""
        if value is None:
            self.add(field, "must not be blank")
        return self.text(field, value, kind)

    def list_of(self, field: str, value: Any) -> Sequence[FieldValue]:
        """The values of a list with their places."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.add(field, "must be a list")
            return []
        return self._few(field, [(f"{field}[{n}]", one) for n, one in enumerate(value)])

    def several(self, field: str, cell: str) -> Sequence[FieldValue]:
        """The values of a cell that may hold several."""
        parts = [part for part in _SEPARATOR.split(cell) if part.strip()]
        return self._few(field, [(field, part) for part in parts])

    def objects(
        self, field: str, value: Any, known: Sequence[str]
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The objects of a list with their places."""
        for place, one in self.list_of(field, value):
            if isinstance(one, dict):
                self.check_known(f"{place}.", one, known)
                yield place, one
            else:
                self.add(place, "must be an object")

    def check_known(self, prefix: str, found: Mapping[str, Any], known: Sequence[str]) -> None:
        """Refuse fields that would be ignored."""
        # The name of an unknown field is not repeated: it may be a value in the wrong place.
        if any(name not in known for name in found):
            self.add(prefix.removesuffix(".") or "record", f"may only have {', '.join(known)}")

    def _few(self, field: str, given: Sequence[FieldValue]) -> Sequence[FieldValue]:
        if len(given) > MOST_OF_EACH:
            self.add(field, f"must have at most {MOST_OF_EACH} entries")
            return []
        return given
