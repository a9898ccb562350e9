"""Makes people out of the rows of a CSV file and the objects of a JSON Lines file, or says why not.

Everything wrong with a record is said at once, by field, and never with the value itself.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from gatehouse.core.cards import CardNumber
from gatehouse.core.text import is_blank
from gatehouse.idverify.people import Identifier, IdentifierType, OwnerType, Person, PersonName
from gatehouse.intel.emails import parse_email
from gatehouse.intel.phones import parse_phone
from gatehouse.store.identities.identity_sealer import HolderRecord

MOST_OF_EACH: Final = 16
_LENGTHS: Final = {"name": 64, "email": 254, "phone": 32, "identifier": 64, "reference": 128}
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# An extension is written with a semicolon too: +441632960961;ext=12
_SEPARATOR: Final = re.compile(r";(?!\s*ext=)")
_FINGERPRINT: Final = re.compile(r"fp[0-9]{1,9}_[0-9a-f]{40}")

_IDENTIFIERS: Final = {
    "passport": IdentifierType.PASSPORT,
    "driverLicense": IdentifierType.DRIVERLICENSE,
    "nationalIdentity": IdentifierType.NATIONALIDENTITY,
    "tax": IdentifierType.TAX,
}
_NAME_PARTS: Final = ("firstName", "middleName", "lastName")
COLUMNS: Final = (
    *("cardNumber", "reference", "ownerType", *_NAME_PARTS, "email", "phone", "phoneCountry"),
    *(column for name in _IDENTIFIERS for column in (name, f"{name}Country")),
)
"""The columns of a CSV file."""
FIELDS: Final = (
    *("cardNumber", "card", "reference", "ownerType", "names", "emails", "phones", "phoneCountry"),
    "identifiers",
)
"""The fields of an object in a JSON Lines file."""
_IDENTIFIER_FIELDS: Final = ("type", "value", "country")

_CODES: Final = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR "
    "BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ "
    "EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW "
    "GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY "
    "KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV "
    "MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY "
    "QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG "
    "TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA "
    "ZM ZW"
)
COUNTRIES: Final = frozenset(_CODES.split())
"""ISO 3166 alpha-2, and XK, which everybody uses for Kosovo."""

Fingerprint = Callable[[CardNumber], str]


class FieldProblem(NamedTuple):
    """What is wrong with a field."""

    field: str
    reason: str


class RowProblems:
    """Collects what is wrong with one record."""

    def __init__(self) -> None:
        self.found: list[FieldProblem] = []

    def add(self, field: str, reason: str) -> None:
        """Note a problem."""
        self.found.append(FieldProblem(field, reason))


def entry_of_cells(
    cells: Mapping[str, str], fingerprint: Fingerprint, problems: RowProblems
) -> HolderRecord | None:
    """The person of a row, given by column; an empty cell is as good as none."""
    given = {column: cell for column, cell in cells.items() if cell.strip()}
    form = _Form(problems)
    country = form.country("phoneCountry", given.get("phoneCountry"))
    name = form.name("", {part: given.get(part) for part in _NAME_PARTS})
    identifiers = [
        form.identifier(column, kind, given[column], (f"{column}Country", given))
        for column, kind in _IDENTIFIERS.items()
        if column in given
    ]
    for column in _IDENTIFIERS:
        if column not in given and f"{column}Country" in given:
            problems.add(f"{column}Country", f"is given without {column}")
    person = Person(
        form.owner_type("ownerType", given.get("ownerType")),
        _present([name]),
        form.emails(form.several("email", given.get("email", ""))),
        form.phones(form.several("phone", given.get("phone", "")), country),
        _present(identifiers),
    )
    reference = form.text("reference", given.get("reference"), "reference")
    card = form.card_number("cardNumber", given.get("cardNumber"), fingerprint)
    return _entry(card, person, reference, problems)


def entry_of_object(
    found: Mapping[str, Any], fingerprint: Fingerprint, card_prefix: str, problems: RowProblems
) -> HolderRecord | None:
    """The person of an object."""
    form = _Form(problems)
    form.no_others("", found, FIELDS)
    country = form.country("phoneCountry", found.get("phoneCountry"))
    names = [
        form.name(f"{field}.", parts)
        for field, parts in form.objects("names", found.get("names"), _NAME_PARTS)
    ]
    identifiers = []
    listed = form.objects("identifiers", found.get("identifiers"), _IDENTIFIER_FIELDS)
    for field, given in listed:
        kind = form.identifier_type(f"{field}.type", given.get("type"))
        at = {f"{field}.country": given.get("country")}
        identifier = form.identifier(
            f"{field}.value", kind, given.get("value"), (f"{field}.country", at)
        )
        identifiers.append(identifier)
    person = Person(
        form.owner_type("ownerType", found.get("ownerType")),
        _present(names),
        form.emails(form.a_list("emails", found.get("emails"))),
        form.phones(form.a_list("phones", found.get("phones")), country),
        _present(identifiers),
    )
    reference = form.text("reference", found.get("reference"), "reference")
    if found.get("card") is None:
        card = form.card_number("cardNumber", found.get("cardNumber"), fingerprint)
    elif found.get("cardNumber") is not None:
        problems.add("card", "is given beside cardNumber; one of them is enough")
        return None
    else:
        card = form.card_fingerprint("card", found["card"], card_prefix)
    return _entry(card, person, reference, problems)


def _entry(
    card: str | None, person: Person, reference: str | None, problems: RowProblems
) -> HolderRecord | None:
    attributes = (person.names, person.emails, person.phones, person.identifiers)
    if not any(attributes) and not problems.found:
        problems.add("record", "has no name, e-mail address, phone number or identifier")
    return None if card is None or problems.found else HolderRecord(card, person, reference)


class _Form:
    """Reads single values and notes what is wrong with them."""

    def __init__(self, problems: RowProblems) -> None:
        self._add = problems.add

    def text(self, field: str, value: Any, kind: str) -> str | None:
        """A value without blanks around it; None when it is missing or unfit."""
        if value is None:
            return None
        if not isinstance(value, str):
            self._add(field, "must be text")
            return None
        text = value.strip()
        if is_blank(text):
            self._add(field, "must not be blank")
            return None
        if len(text) > _LENGTHS[kind]:
            self._add(field, f"must have at most {_LENGTHS[kind]} characters")
            return None
        if _UNFIT.search(text):
            self._add(field, "must not contain control characters")
            return None
        return text

    def name(self, prefix: str, parts: Mapping[str, Any]) -> PersonName | None:
        """A name of which at least one part is given."""
        first, middle, last = (
            self.text(prefix + part, parts.get(part), "name") for part in _NAME_PARTS
        )
        if first is None and middle is None and last is None:
            if prefix and not any(parts.values()):
                self._add(prefix.removesuffix("."), "has no part of a name")
            return None
        return PersonName(last_name=last, first_name=first, middle_name=middle)

    def emails(self, given: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
        """E-mail addresses, as they are written."""
        found: dict[str, None] = {}
        for field, value in given:
            text = self.required(field, value, "email")
            if text is None:
                continue
            if parse_email(text) is None:
                self._add(field, "is not an e-mail address")
                continue
            found[text] = None
        return tuple(found)

    def phones(self, given: Iterable[tuple[str, Any]], country: str | None) -> tuple[str, ...]:
        """Phone numbers in the form that they are kept in."""
        found: dict[str, None] = {}
        for field, value in given:
            text = self.required(field, value, "phone")
            if text is None:
                continue
            phone = parse_phone(text, country)
            if phone is None:
                self._add(field, "is not a phone number; write +441632960961, or add phoneCountry")
            else:
                found[phone.canonical] = None
        return tuple(found)

    def identifier(
        self,
        field: str,
        kind: IdentifierType | None,
        value: Any,
        country: tuple[str, Mapping[str, Any]],
    ) -> Identifier | None:
        """An identifier; the country is given by where it stands."""
        text = self.required(field, value, "identifier")
        code = self.country(country[0], country[1].get(country[0]))
        return None if text is None or kind is None else Identifier(kind, text, code)

    def identifier_type(self, field: str, value: Any) -> IdentifierType | None:
        """A kind of identifier, in any case."""
        if isinstance(value, str) and value.upper() in IdentifierType.__members__:
            return IdentifierType[value.upper()]
        self._add(field, f"must be one of {', '.join(IdentifierType)}")
        return None

    def owner_type(self, field: str, value: Any) -> OwnerType:
        """How the person holds the card, in any case."""
        if value is None:
            return OwnerType.PRIMARY
        if isinstance(value, str) and value.strip().upper() in OwnerType.__members__:
            return OwnerType[value.strip().upper()]
        self._add(field, f"must be {' or '.join(OwnerType)}")
        return OwnerType.PRIMARY

    def country(self, field: str, value: Any) -> str | None:
        """A country's code."""
        if value is None:
            return None
        if isinstance(value, str) and value.strip().upper() in COUNTRIES:
            return value.strip().upper()
        self._add(field, "must be an ISO 3166 code of two letters, such as GB")
        return None

    def card_number(self, field: str, value: Any, fingerprint: Fingerprint) -> str | None:
        """The fingerprint of a card number, which may be grouped as on the card."""
        if value is None:
            self._add(field, "is required")
            return None
        if not isinstance(value, str):
            self._add(field, "must be text")
            return None
        try:
            return fingerprint(CardNumber.parse(re.sub(r"[ -]", "", value)))
        except ValueError as error:
            self._add(field, str(error))
            return None

    def card_fingerprint(self, field: str, value: Any, prefix: str) -> str | None:
        """A fingerprint, as an export holds it."""
        if not isinstance(value, str) or not _FINGERPRINT.fullmatch(value):
            self._add(field, "is not a card's fingerprint")
            return None
        if not value.startswith(prefix):
            self._add(field, "is the fingerprint of an earlier key; give cardNumber")
            return None
        return value

    def required(self, field: str, value: Any, kind: str) -> str | None:
        """A value that must be there."""
        if value is None:
            self._add(field, "must not be blank")
            return None
        return self.text(field, value, kind)

    def a_list(self, field: str, value: Any) -> Sequence[tuple[str, Any]]:
        """The values of a list with their places."""
        if value is None:
            return []
        if not isinstance(value, list):
            self._add(field, "must be a list")
            return []
        return self._few(field, [(f"{field}[{n}]", one) for n, one in enumerate(value)])

    def several(self, field: str, cell: str) -> Sequence[tuple[str, Any]]:
        """The values of a cell that may hold several."""
        parts = [part for part in _SEPARATOR.split(cell) if part.strip()]
        return self._few(field, [(field, part) for part in parts])

    def objects(
        self, field: str, value: Any, known: Sequence[str]
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The objects of a list with their places."""
        for place, one in self.a_list(field, value):
            if isinstance(one, dict):
                self.no_others(f"{place}.", one, known)
                yield place, one
            else:
                self._add(place, "must be an object")

    def no_others(self, prefix: str, found: Mapping[str, Any], known: Sequence[str]) -> None:
        """Refuse fields that nobody would look at."""
        # The name of an unknown field is not repeated: it may be a value in the wrong place.
        if any(name not in known for name in found):
            self._add(prefix.removesuffix(".") or "record", f"may only have {', '.join(known)}")

    def _few(self, field: str, given: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
        if len(given) > MOST_OF_EACH:
            self._add(field, f"must have at most {MOST_OF_EACH} entries")
            return []
        return given


def _present(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(value for value in values if value is not None)
