"""Kept scorecards and the signals of this version."""

import msgspec
import pytest

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import (
    Prior,
    Scorecard,
    ScorecardError,
    Sheet,
    Term,
    encode_sheet,
    load_sheet,
)
from gatehouse.store.configured.models import Adjusted, adjust, read_program


def sheet(*terms: Term) -> Sheet:
    return Sheet("test-1", Prior(0.9, "for a test"), 0.1, terms)


def term(code: str, effect: float) -> Term:
    return Term(code, (0.5,), (0.0, effect), "for a test")


SHIPPED = sheet(term("A", -1.0), term("B", -2.0), term("C", -3.0))


def test_a_sheet_that_fits_stays_as_it_is() -> None:
    fits = sheet(term("B", 1.0), term("A", 2.0))
    assert adjust(fits, SHIPPED, ["A", "B"]) == Adjusted(fits)
    assert read_program(encode_sheet(load_sheet())) == Adjusted(load_sheet())


def test_later_signals_get_their_shipped_terms_and_what_is_no_signal_goes() -> None:
    kept = sheet(term("GONE", 9.0), term("B", 1.0), term("AWAY", 9.0))
    found = adjust(kept, SHIPPED, ["A", "B", "C"])
    assert found.sheet == sheet(term("B", 1.0), term("A", -1.0), term("C", -3.0))
    assert found.added == ("A", "C")
    assert found.dropped == ("AWAY", "GONE")
    scorecard = Scorecard(found.sheet, ["A", "B", "C"])
    assert scorecard.score({"A": 1.0, "B": 1.0}).effects == [("A", -1.0), ("B", 1.0)]


def test_what_other_versions_of_the_package_made_can_be_used() -> None:
    first, *others = load_sheet().terms
    another = msgspec.structs.replace(load_sheet(), terms=(*others, term("FROM_LATER", 1.0)))
    found = read_program(encode_sheet(another))
    assert (found.added, found.dropped) == ((first.code,), ("FROM_LATER",))
    assert Scorecard(found.sheet, BY_CODE.keys()).version == load_sheet().version


@pytest.mark.parametrize("program", ["", "[]", "{}", '{"version": "x", "from": "later"}', "\x00"])
def test_what_is_no_sheet_is_refused(program: str) -> None:
    with pytest.raises(ScorecardError, match="cannot be read"):
        read_program(program)


def test_mistakes_inside_a_sheet_are_not_hidden() -> None:
    twice = sheet(term("A", 1.0), term("A", 2.0))
    with pytest.raises(ScorecardError, match="A: has more than one term"):
        Scorecard(adjust(twice, SHIPPED, ["A", "B"]).sheet, ["A", "B"])
