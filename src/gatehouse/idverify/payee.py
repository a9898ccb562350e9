"""Verification of a payee: whether a name is that of a holder, in the four results of the scheme.

Any holder suffices, and a company's own name or one that it trades under. The name on record is
never told: a caller who comes close by guessing would learn whose card it is.
"""

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import Final

from gatehouse.idverify.comparison import rank
from gatehouse.idverify.names import (
    LegalForm,
    compare_company_names,
    compare_full_names,
    legal_form,
)
from gatehouse.idverify.people import Person, PersonName
from gatehouse.idverify.response import PayeeMatch, Result
from gatehouse.idverify.source import HolderResults, Holders

MOST_NAMES: Final = 64
"""Names on record that one payee is compared with."""


_RESULTS: Final = {
    Result.MATCH: PayeeMatch.MATCH,
    Result.PARTIAL_MATCH: PayeeMatch.CLOSE_MATCH,
    Result.NO_MATCH: PayeeMatch.NO_MATCH,
}


async def verify_payee(payee: str | None, answer: Holders | HolderResults) -> PayeeMatch:
    """How a payee's name compares with the holders; others have their turn between two names.

    A source that compares by itself was not asked about it.
    """
    if payee is None or not isinstance(answer, Holders):
        return PayeeMatch.NOT_POSSIBLE
    found = Result.UNKNOWN
    for held in islice(_names_of(answer.people), MOST_NAMES):
        await asyncio.sleep(0)
        result = compare_payee(payee, held)
        if result is Result.MATCH:
            return PayeeMatch.MATCH
        found = max(found, result, key=rank)
    return _RESULTS.get(found, PayeeMatch.NOT_POSSIBLE)


def compare_payee(payee: str, held: str) -> Result:
    """How a name that may be a person's or a company's compares with one on record."""
    form = max(legal_form(payee), legal_form(held))
    companies = compare_company_names(payee, held).decision if form else Result.NO_MATCH
    if form is LegalForm.CERTAIN:
        return companies
    return max(compare_full_names(payee, held).decision, companies, key=rank)


def _names_of(people: tuple[Person, ...]) -> Iterator[str]:
    return (_written(name) for person in people for name in person.names)


def _written(name: PersonName) -> str:
    parts = (name.first_name, name.middle_name, name.last_name)
    return " ".join(part for part in parts if part)
