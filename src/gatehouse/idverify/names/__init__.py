"""Compares the names of people across spellings, orders, scripts and typing errors.

`compare_full_names` takes whole names as single strings; `compare_person_names` takes names in
parts, decides each part, and then the whole.
"""

from gatehouse.idverify.names.compare import FullNameVerdict, compare_full_names
from gatehouse.idverify.names.parts import NameVerdict, compare_person_names

__all__ = [
    "FullNameVerdict",
    "NameVerdict",
    "compare_full_names",
    "compare_person_names",
]
