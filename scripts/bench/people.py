"""The holders of cards, and what is claimed about them: mostly the truth, now and then not quite.

Who holds a card follows from the card's index alone, so that records and requests agree. None of
the people exists.
"""

import json
import unicodedata
from functools import cache
from typing import Any, NamedTuple

from stdnum.es import dni
from stdnum.fr import nif
from stdnum.gb import utr

from gatehouse.idverify.people import Identifier, IdentifierType, OwnerType, Person, PersonName
from scripts.bench.cards import card_number

_NICKNAMES = {
    "William": "Bill", "Elizabeth": "Liz", "Robert": "Bob", "Margaret": "Peggy", "Édouard": "Ed",
    "Alexander": "Sasha", "Katherine": "Kate", "Francisco": "Paco", "Joséphine": "Josie",
    "Michael": "Mike", "Theodora": "Dora",
}  # fmt: skip
_FIRST = tuple(_NICKNAMES)
_MIDDLE = ("Jane", "Lee", "Marie", "James", "Ann", "Louis", "Grace")
_LAST = (
    "Whitfield", "García", "Müller", "O'Connor", "Nguyen", "de la Cruz", "Petrov", "Smith-Jones",
    "Kowalski", "Tanaka", "Okafor", "van den Berg", "Johansson",
)  # fmt: skip
_HOMES = ("example.com", "gmail.com", "outlook.com", "example.org", "yahoo.com")
_AREAS = ("212", "312", "415", "617", "713")


class _Numbers(NamedTuple):
    """The numbers of one person, made of eight digits."""

    country: str
    phone: str
    phone_at_home: str
    passport: str
    tax: str


def _american(digits: str) -> _Numbers:
    area, line = _AREAS[int(digits) % len(_AREAS)], f"5{digits[2:]}"
    tax = f"5{1 + int(digits[:2]) % 99:02d}-{1 + int(digits[2:4]) % 99:02d}-1{digits[5:]}"
    at_home = f"({area}) {line[:3]}-{line[3:]}"
    return _Numbers("US", f"+1{area}{line}", at_home, f"5{digits}", tax)


def _british(digits: str) -> _Numbers:
    tax = utr.calc_check_digit(f"7{digits}") + f"7{digits}"
    at_home = f"077{digits[:2]} {digits[2:]}"
    return _Numbers("GB", f"+4477{digits}", at_home, f"1{digits}", tax)


def _spanish(digits: str) -> _Numbers:
    tax = digits + dni.calc_check_digit(digits)
    at_home = f"6{digits[:2]} {digits[2:5]} {digits[5:]}"
    return _Numbers("ES", f"+346{digits}", at_home, f"PA{digits[1:]}", tax)


def _french(digits: str) -> _Numbers:
    tax = f"30{digits}" + nif.calc_check_digits(f"30{digits}")
    at_home = f"06 {digits[:2]} {digits[2:4]} {digits[4:6]} {digits[6:]}"
    return _Numbers("FR", f"+336{digits}", at_home, f"{digits[:2]}AB{digits[3:]}", tax)


_COUNTRIES = (_american, _british, _spanish, _french)


def holders_of(index: int) -> list[Person]:
    """The two people who hold a card: of one last name and one country."""
    return [_holder(index, role) for role in OwnerType]


def _holder(index: int, role: OwnerType) -> Person:
    which = _which(index, role)
    first, last = _FIRST[which % len(_FIRST)], _LAST[index % len(_LAST)]
    numbers = _numbers(index, role)
    return Person(
        role,
        names=(PersonName(last, first, _MIDDLE[which % len(_MIDDLE)]),),
        emails=(f"{_letters(first)}.{_letters(last)}{which}@{_HOMES[which % len(_HOMES)]}",),
        phones=(numbers.phone,),
        identifiers=(
            Identifier(IdentifierType.PASSPORT, numbers.passport, numbers.country),
            Identifier(IdentifierType.TAX, numbers.tax, numbers.country),
        ),
    )


def _which(index: int, role: OwnerType) -> int:
    return 2 * index + (role is OwnerType.SECONDARY)


def _numbers(index: int, role: OwnerType) -> _Numbers:
    digits = f"{_which(index, role) * 15_485_863 % 10**8:08d}"
    return _COUNTRIES[index % len(_COUNTRIES)](digits)


@cache
def _letters(name: str) -> str:
    plain = unicodedata.normalize("NFD", name.lower())
    return "".join(mark for mark in plain if "a" <= mark <= "z")


def idverify_body(index: int) -> bytes:
    """A request about a card's primary holder; one in four is wrong about two things."""
    person = holders_of(index)[0]
    body: dict[str, Any] = {
        "clientReferenceId": f"order-{index:08d}",
        "cardNumber": card_number(index),
        "cardExpiryDate": "2031-12",
        "cardHolderEmailAddress": person.emails[0],
        "cardHolderPhoneNumber": person.phones[0],
        "cardHolderName": _name_fields(person.names[0]),
        "cardHolderIds": {one.type.value: one.value for one in person.identifiers},
    }
    turn = index // len(_COUNTRIES) % 8
    if turn == 3:
        _be_casual(body, index)
    elif turn == 6:
        _be_careless(body, index)
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def _name_fields(name: PersonName) -> dict[str, str | None]:
    return {
        "firstName": name.first_name,
        "middleName": name.middle_name,
        "lastName": name.last_name,
    }


def _be_casual(body: dict[str, Any], index: int) -> None:
    """A short name, and a phone number as it is dialled at home."""
    name = body["cardHolderName"]
    name["firstName"] = _NICKNAMES[name["firstName"]]
    body["cardHolderPhoneNumber"] = _numbers(index, OwnerType.PRIMARY).phone_at_home


def _be_careless(body: dict[str, Any], index: int) -> None:
    """Two letters swapped in the last name, and another mailbox than the one on record."""
    name = body["cardHolderName"]
    last = name["lastName"]
    name["lastName"] = last[:-2] + last[-1] + last[-2]
    body["cardHolderEmailAddress"] = f"{_letters(name['firstName'])}{index}@mail.example.net"
