"""Stored scorecards, made to fit the signals of this version of the package.

A model outlives the version that it was trained with. Signals that came later have no term in it,
and terms of signals that are gone, or not here yet, have nothing to measure.
"""

from collections.abc import Collection

import msgspec

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Sheet, decode_sheet, load_sheet


class Adjusted(msgspec.Struct, frozen=True):
    """A sheet with a term for every signal and no other term, and which terms were changed."""

    sheet: Sheet
    added: tuple[str, ...] = ()
    """Signals whose term is the shipped one."""
    dropped: tuple[str, ...] = ()
    """Codes that had a term and are no signals of this version."""


def read_program(program: str) -> Adjusted:
    """The sheet of a stored model; `ScorecardError` when this version cannot read it."""
    return adjust(decode_sheet(program), load_sheet(), BY_CODE.keys())


def adjust(sheet: Sheet, shipped: Sheet, codes: Collection[str]) -> Adjusted:
    """Add the shipped terms of signals that have none, and drop terms of unknown signals.

    An unknown signal is never measured, so its term would never count.
    """
    present = {term.code for term in sheet.terms}
    missing = set(codes) - present
    added = [term for term in shipped.terms if term.code in missing]
    dropped = sorted(present - set(codes))
    if not added and not dropped:
        return Adjusted(sheet)
    kept = [term for term in sheet.terms if term.code in codes]
    return Adjusted(
        msgspec.structs.replace(sheet, terms=(*kept, *added)),
        tuple(term.code for term in added),
        tuple(dropped),
    )
