"""Conditions over signals on pages of decisions: which are set, and how another one is added."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gatehouse.access.roles import Permission
from gatehouse.admin.search.pages.search_form import LAST_FOUR, WHERE, Kept
from gatehouse.admin.search.use_cases.conditions import AddressedConditions
from gatehouse.conditions.catalogue import SIGNALS, Catalogue
from gatehouse.conditions.clicked import (
    OPERATORS,
    Clicked,
    ClickedGroup,
    Operator,
    WrongQuestion,
    write_condition,
)
from gatehouse.console.refusals import as_sentence
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import said_by
from gatehouse.figures.column_filter import ColumnFilter, ColumnMatches

_DIGITS = 4
OFFERED = tuple(
    each
    for each in Operator
    if each not in (Operator.LISTED, Operator.NOT_LISTED)
    and any(each in fitting for fitting in OPERATORS.values())
)
"""How a signal can be asked; nobody knows what was on a list when."""


class SetCondition(NamedTuple):
    """A condition of a page."""

    shown: str
    without: Mapping[str, Sequence[str]]
    """The filters that are left when it is taken away."""


def column_filter(visit: Visit, kept: Kept, names: Sequence[str] = ()) -> ColumnFilter | None:
    """What only the copy in columns finds; None when nothing of the kind is set.

    `names` are signals that are used beside.
    """
    texts, [last_four] = kept.get(WHERE, ()), kept.get(LAST_FOUR, ("",))
    if not texts and not last_four and not names:
        return None
    is_four = len(last_four) == _DIGITS and last_four.isascii() and last_four.isdigit()
    if last_four and not is_four:
        raise visit.refuse(LAST_FOUR, "decisions.problems.last_four")
    conditions = AddressedConditions(*visit.opened)
    try:
        return conditions.filter(texts, last_four or None, names)
    except InvalidInput as error:
        why = as_sentence(visit.said(said_by(error)))
        raise visit.refuse(WHERE, "decisions.problems.condition", why=why) from None


def column_matches(visit: Visit, kept: Kept) -> ColumnMatches | None:
    """The same as a search reads it."""
    wanted = column_filter(visit, kept)
    if wanted is None:
        return None
    return ColumnMatches(visit.columns, wanted)


def set_conditions(visit: Visit, kept: Kept) -> list[SetCondition]:
    """The conditions that are set, each with the filters without it."""
    conditions = AddressedConditions(*visit.opened)
    shown = []
    for text in kept.get(WHERE, ()):
        left = tuple(each for each in kept[WHERE] if each != text)
        try:
            said = conditions.opened(text)
        except InvalidInput:
            said = "?"
        if said != text and not visit.may(Permission.REVEAL):
            said = f"{said.partition(' ')[0]} …"
        shown.append(SetCondition(said, {**kept, WHERE: left}))
    return shown


def added_condition(visit: Visit, kept: Kept) -> Kept:
    """The filters with the condition that was sent, written or clicked together."""
    written, signal = (visit.entered(name) for name in ("condition", "signal"))
    field = "condition" if written else "signal"
    try:
        if not written:
            asked = Clicked(signal, visit.form["operator"], visit.form["value"])
            written = write_condition([ClickedGroup((asked,))], Catalogue())
        added = AddressedConditions(*visit.opened).addressed(written)
    except WrongQuestion as wrong:
        raise visit.refuse(
            "value" if signal in SIGNALS else "signal",
            "decisions.problems.condition",
            why=as_sentence(visit.said(said_by(wrong))),
        ) from None
    except InvalidInput as error:
        why = as_sentence(visit.said(said_by(error)))
        raise visit.refuse(field, "decisions.problems.condition", why=why) from None
    return {**kept, WHERE: tuple(dict.fromkeys((*kept.get(WHERE, ()), added)))}
