"""Kept scorecards, made to fit the signals of this version of the package.

A model outlives the version that it was trained with. Signals that came later have no term in it,
and terms of signals that are gone, or not here yet, have nothing to measure.
"""

from collections.abc import Collection

import msgspec

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Sheet, decode_sheet, load_sheet


class Adjusted(msgspec.Struct, frozen=True):
    """A sheet with a term for every signal and for nothing else, and what was done for that."""

    sheet: Sheet
    added: tuple[str, ...] = ()
    """Signals whose term is the shipped one."""
    dropped: tuple[str, ...] = ()
    """What had a term and is no signal here."""


def read_program(program: str) -> Adjusted:
    """The sheet of a kept model; `ScorecardError` when this version cannot read it."""
    return adjust(decode_sheet(program), load_sheet(), BY_CODE.keys())


def adjust(sheet: Sheet, shipped: Sheet, codes: Collection[str]) -> Adjusted:
    """Complete a sheet with the shipped terms of signals that it does not speak of, and drop the
    terms of what is no signal: it is never measured, and what is not measured is worth nothing.
    """
    spoken_of = {term.code for term in sheet.terms}
    unspoken = set(codes) - spoken_of
    added = [term for term in shipped.terms if term.code in unspoken]
    dropped = sorted(spoken_of - set(codes))
    if not added and not dropped:
        return Adjusted(sheet)
    kept = [term for term in sheet.terms if term.code in codes]
    return Adjusted(
        msgspec.structs.replace(sheet, terms=(*kept, *added)),
        tuple(term.code for term in added),
        tuple(dropped),
    )
