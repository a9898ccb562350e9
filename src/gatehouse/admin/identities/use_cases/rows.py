"""The records of identity files: columns of CSV, fields of JSON Lines, and the person of each."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from gatehouse.admin.identities.use_cases.fields import NAME_PARTS, FieldReader
from gatehouse.core.files.records import Columns, RecordFile, RecordFormat, UnusableRecord
from gatehouse.idverify.people import IdentifierType, Person
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.identities.identity_sealer import HolderRecord

_IDENTIFIERS: Final = {
    "passport": IdentifierType.PASSPORT,
    "driverLicense": IdentifierType.DRIVERLICENSE,
    "nationalIdentity": IdentifierType.NATIONALIDENTITY,
    "tax": IdentifierType.TAX,
}
COLUMNS: Final = (
    *("cardNumber", "reference", "ownerType", *NAME_PARTS, "email", "phone", "phoneCountry"),
    *(column for name in _IDENTIFIERS for column in (name, f"{name}Country")),
)
"""The columns of a CSV file."""
FIELDS: Final = (
    *("cardNumber", "card", "reference", "ownerType", "names", "emails", "phones", "phoneCountry"),
    "identifiers",
)
"""The fields of an object in a JSON Lines file."""
_COLUMNS: Final = Columns(COLUMNS, (("cardNumber",),))
_IDENTIFIER_FIELDS: Final = ("type", "value", "country")

T = TypeVar("T")


def open_identity_file(path: Path | None, form: RecordFormat) -> RecordFile:
    """Open a file of identity records; None is standard input."""
    return RecordFile(path, form, _COLUMNS)


def identity_file(stream: BinaryIO, form: RecordFormat) -> RecordFile:
    """The same with the content of a file that is nowhere kept."""
    return RecordFile(None, form, _COLUMNS, stream=stream)


class IdentityParser:
    """Makes the holder of a card out of a record; raises `UnusableRecord` with all problems."""

    def __init__(self, cards: NamedCards) -> None:
        """`cards` makes the fingerprints of the scope."""
        self._cards = cards

    def from_cells(self, cells: Mapping[str, str]) -> HolderRecord:
        """The person of a row of CSV; an empty cell counts as missing."""
        given = {column: cell for column, cell in cells.items() if cell.strip()}
        read = FieldReader()
        country = read.country("phoneCountry", given.get("phoneCountry"))
        name = read.name("", given)
        identifiers = []
        for column, kind in _IDENTIFIERS.items():
            field = f"{column}Country"
            if column in given:
                issuer = (field, given.get(field))
                identifiers.append(read.identifier(kind, (column, given[column]), issuer))
            elif field in given:
                read.add(field, f"is given without {column}")
        person = Person(
            read.owner_type("ownerType", given.get("ownerType")),
            () if name is None else (name,),
            read.emails(read.several("email", given.get("email", ""))),
            read.phones(read.several("phone", given.get("phone", "")), country),
            _present(identifiers),
        )
        return self._holder(read, given, person)

    def from_object(self, found: Mapping[str, Any]) -> HolderRecord:
        """The person of an object of JSON Lines."""
        read = FieldReader()
        read.check_known("", found, FIELDS)
        country = read.country("phoneCountry", found.get("phoneCountry"))
        names = [
            read.name(f"{field}.", parts)
            for field, parts in read.objects("names", found.get("names"), NAME_PARTS)
        ]
        identifiers = [
            read.identifier(
                read.identifier_type(f"{field}.type", given.get("type")),
                (f"{field}.value", given.get("value")),
                (f"{field}.country", given.get("country")),
            )
            for field, given in read.objects(
                "identifiers", found.get("identifiers"), _IDENTIFIER_FIELDS
            )
        ]
        person = Person(
            read.owner_type("ownerType", found.get("ownerType")),
            _present(names),
            read.emails(read.list_of("emails", found.get("emails"))),
            read.phones(read.list_of("phones", found.get("phones")), country),
            _present(identifiers),
        )
        return self._holder(read, found, person)

    def _holder(self, read: FieldReader, given: Mapping[str, Any], person: Person) -> HolderRecord:
        reference = read.text("reference", given.get("reference"), "reference")
        card = self._card(given, read)
        known = person.names or person.emails or person.phones or person.identifiers
        if not known and not read.problems:
            read.add("record", "has no name, e-mail address, phone number or identifier")
        if card is None or read.problems:
            raise UnusableRecord(read.problems)
        return HolderRecord(card, person, reference)

    def _card(self, found: Mapping[str, Any], read: FieldReader) -> str | None:
        if found.get("card") is None:
            return read.card_number("cardNumber", found.get("cardNumber"), self._cards)
        if found.get("cardNumber") is not None:
            read.add("card", "is given beside cardNumber; one of them is enough")
            return None
        return read.card_fingerprint("card", found["card"], self._cards)


def _present(values: Iterable[T | None]) -> tuple[T, ...]:
    return tuple(value for value in values if value is not None)
