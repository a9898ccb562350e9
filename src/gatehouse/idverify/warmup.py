"""Loads at the start what would otherwise be loaded by the first request that needs it."""

from typing import Final

from gatehouse.idverify import identifiers
from gatehouse.idverify.names import compare_person_names
from gatehouse.idverify.people import PersonName
from gatehouse.intel import phones
from gatehouse.intel.emails import parse_email

# Pairs that are not simply equal, so that comparing them takes all there is to know about names.
_NAMES: Final = (
    (PersonName("Whitfield", "Amelia"), PersonName("Whitefield", "Millie")),
    (PersonName("王", "小明"), PersonName("Wang", "Xiaoming")),
    (PersonName("Иванов", "Пётр"), PersonName("Ivanov", "Peter")),
)


def warm() -> None:
    """Take a few tenths of a second now, so that no caller waits for them."""
    phones.load_all_plans()
    identifiers.load_all_checks()
    parse_email("amelia@bücher.example")
    for sent, held in _NAMES:
        compare_person_names(sent, held)
