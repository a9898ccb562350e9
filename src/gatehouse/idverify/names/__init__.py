"""Compares names across spellings, orders, scripts and typing errors.

`compare_full_names` takes whole names as single strings; `compare_person_names` takes names in
parts, decides each part, and then the whole; `compare_company_names` takes names of companies.
"""

from gatehouse.idverify.names.companies import LegalForm, compare_company_names, legal_form
from gatehouse.idverify.names.compare import FullNameVerdict, compare_full_names
from gatehouse.idverify.names.parts import NameVerdict, compare_person_names

__all__ = [
    "FullNameVerdict",
    "LegalForm",
    "NameVerdict",
    "compare_company_names",
    "compare_full_names",
    "compare_person_names",
    "legal_form",
]
