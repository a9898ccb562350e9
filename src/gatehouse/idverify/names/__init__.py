"""Compares the names of people: across spellings, orders, scripts and slips of the pen.

`compare_full_names` takes whole names as single strings; `compare_person_names` takes names in
parts, decides each part, and then the whole.
"""

from gatehouse.idverify.names.compare import FullNameVerdict, compare_full_names
from gatehouse.idverify.names.parts import NameVerdict, compare_person_names
from gatehouse.idverify.names.relations import PartVerdict

__all__ = [
    "FullNameVerdict",
    "NameVerdict",
    "PartVerdict",
    "compare_full_names",
    "compare_person_names",
]
