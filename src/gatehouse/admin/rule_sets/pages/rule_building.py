"""A rule that is clicked together: questions in groups, without knowing the language."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.pages import DOCUMENT_BYTES
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.rule_sets.pages.rules import show_change
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.clicked import (
    OPERATORS,
    SIZES,
    WITHOUT_VALUE,
    Clicked,
    ClickedGroup,
    Operator,
    WrongQuestion,
    write_condition,
)
from gatehouse.conditions.clicked_again import read_clicked
from gatehouse.conditions.parse import read_condition
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.console.words.signals import signal_about
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import said_by
from gatehouse.rules.adding import NewRule, free_name, with_rule
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.changing import RuleChange, rule_named, with_changed_rule

_FIELD: Final = re.compile(r"(signal|operator|value)([0-9])\.([0-9])")
_MOST: Final = 8
"""Groups, and questions of a group."""
_EMPTY: Final = Clicked("", "")
_ANY: Final = "any"
_LONGEST_NUMBER: Final = 20


class Built(msgspec.Struct, frozen=True):
    """What was clicked so far, and what it comes to."""

    groups: list[ClickedGroup]
    is_any: bool
    text: str = ""
    problem: str = ""
    wrong: tuple[int, int] | None = None
    """Group and place of the question that cannot be asked."""


def show_build(visit: Visit) -> Response:
    """The form for the version in force: empty, or with the rule that the query names."""
    found = rule_sets.get(*visit.opened, visit.place("set"))
    document, base = found.document, str(found.version)
    if not visit.query.get("rule"):
        return _render(visit, Built([ClickedGroup((_EMPTY,))], is_any=False), document, base)
    rule = rule_named(found.definition, visit.query["rule"])
    catalogue = Catalogue(found.definition.inputs)
    clicked = read_clicked(rule.condition, catalogue)
    if clicked is None:
        path = visit.url("rules-edit", set=found.definition.name)
        return visit.redirect_to(
            path, Notice("rules.build.text_needed", {"name": rule.name}, "hint")
        )
    groups = [_with_number(each, visit.query) for each in clicked.groups]
    text = write_condition(groups, catalogue, is_any=clicked.is_any)
    typed = {
        "rule": rule.name,
        "name": rule.name,
        "outcome": rule.outcome.value,
        "description": rule.description,
    }
    return _render(visit, Built(groups, clicked.is_any, text), document, base, typed)


def _with_number(group: ClickedGroup, query: Mapping[str, str]) -> ClickedGroup:
    """The group with the number that a finding proposes for one of its questions."""
    names = {sign: operator for operator, sign in SIZES.items()}
    asked = (query.get("signal"), names.get(query.get("operator", "")))
    number = query.get("number", "")
    if not number or len(number) > _LONGEST_NUMBER:
        return group
    questions = tuple(
        msgspec.structs.replace(each, value=number)
        if (each.signal, each.operator) == asked
        else each
        for each in group.questions
    )
    return msgspec.structs.replace(group, questions=questions)


def build(visit: Visit) -> Response:
    """The form again, with another question or group, and the text of what was clicked."""
    groups = _sent_groups(visit)
    pressed, _, place = visit.form["do"].partition("-")
    number = read_number(place, digits=1) or 0
    if pressed == "group" and len(groups) < _MOST:
        groups.append(ClickedGroup((_EMPTY,)))
    elif pressed == "question" and number < len(groups):
        group = groups[number]
        more = (*group.questions, _EMPTY)[:_MOST]
        groups[number] = msgspec.structs.replace(group, questions=more)
    elif pressed == "less" and len(groups) > 1:
        del groups[min(number, len(groups) - 1)]
    document, base = _kept(visit)
    typed = visit.form
    if "base" not in visit.form:
        typed = {**typed, "name": free_name(document, typed.get("name", ""))}
    return _render(visit, _written(visit, groups), document, base, typed)


def add(visit: Visit) -> Response:
    """Show the rule as it would be, beside what it is, and what the draft would have done."""
    document = _kept(visit)[0]
    built = _written(visit, _sent_groups(visit))
    if built.problem or not built.text:
        raise visit.refuse("", "rules.build.unfinished")
    outcome = visit.form["outcome"]
    if outcome not in tuple(Outcome):
        raise visit.refuse("outcome", "rules.build.outcome_missing")
    found = rule_sets.get(*visit.opened, visit.place("set"))
    if named := visit.form.get("rule"):
        description = visit.form["description"]
        change = RuleChange(None, built.text, Outcome(outcome), description)
        return show_change(visit, found, with_changed_rule(document, named, change))
    rule = NewRule(
        visit.entered("name"),
        built.text,
        Outcome(outcome),
        visit.entered("description"),
        shadow=bool(visit.form.get("shadow")),
    )
    return show_change(visit, found, with_rule(document, rule))


def show_sent(visit: Visit) -> Response:
    """The form again, with what is wrong."""
    return _render(visit, _written(visit, _sent_groups(visit)), *_kept(visit))


def _kept(visit: Visit) -> tuple[str, str]:
    """The draft and its base, which the form carries along; else the version in force.

    A page that proposes a rule, such as that of an alert, sends its questions alone.
    """
    if "base" not in visit.form:
        found = rule_sets.get(*visit.opened, visit.place("set"))
        return found.document, str(found.version)
    return visit.form["document"], visit.form["base"]


def _sent_groups(visit: Visit) -> list[ClickedGroup]:
    found: dict[int, dict[int, dict[str, str]]] = {}
    for name, value in visit.form.items():
        match = _FIELD.fullmatch(name)
        if match is not None and int(match[2]) < _MOST and int(match[3]) < _MOST:
            found.setdefault(int(match[2]), {}).setdefault(int(match[3]), {})[match[1]] = value
    groups = [
        ClickedGroup(
            tuple(
                Clicked(
                    each.get("signal", "").strip(), each.get("operator", ""), each.get("value", "")
                )
                for _, each in sorted(rows.items())
            ),
            visit.form.get(f"group{number}") == _ANY,
        )
        for number, rows in sorted(found.items())
    ]
    return groups or [ClickedGroup((_EMPTY,))]


def _written(visit: Visit, groups: list[ClickedGroup]) -> Built:
    """What was clicked as text; questions without a signal do not count yet."""
    is_any = visit.form.get("joined") == _ANY
    asked = [
        msgspec.structs.replace(group, questions=tuple(q for q in group.questions if q.signal))
        for group in groups
    ]
    try:
        catalogue = _catalogue(visit)
        text = write_condition(asked, catalogue, is_any=is_any)
        if text:
            read_condition(text, catalogue)
    except WrongQuestion as error:
        wrong = _place(groups[error.group], error.place)
        return Built(groups, is_any, problem=visit.said(said_by(error)), wrong=(error.group, wrong))
    except InvalidInput as error:
        return Built(groups, is_any, problem=visit.said(said_by(error)))
    return Built(groups, is_any, text)


def _place(group: ClickedGroup, place: int) -> int:
    """The place on the page of a question that has a signal."""
    return [number for number, each in enumerate(group.questions) if each.signal][place]


def _catalogue(visit: Visit) -> Catalogue:
    """The signals, with the inputs that the draft declares if it can be read."""
    document = visit.form["document"]
    try:
        return Catalogue(read_rule_set(document.encode()).inputs if document else {})
    except InvalidInput:
        return Catalogue()


def _render(
    visit: Visit, built: Built, document: str, base: str, typed: Mapping[str, str] | None = None
) -> Response:
    catalogue = _catalogue(visit)
    signals = [info for name in catalogue.names() if (info := catalogue.find(name)) is not None]
    return visit.render(
        "rules/build.html",
        name=visit.place("set"),
        built=built,
        typed=visit.form if typed is None else typed,
        document=document,
        base=base,
        signals=signals,
        about=signal_about,
        lists=lists.overview(*visit.opened).lists,
        operators=tuple(Operator),
        fitting={kind: " ".join(each) for kind, each in OPERATORS.items()},
        without_value=" ".join(sorted(WITHOUT_VALUE)),
        outcomes=tuple(Outcome),
        most=_MOST,
    )


_ONE: Final = "/a/{account}/rules/{set}/build"
_CHANGE: Final[dict[str, Any]] = {"permission": Permission.PROPOSE, "most_bytes": DOCUMENT_BYTES}

PAGES: Final[Declarations] = (
    Page(_ONE, "rules-build", show_build, permission=Permission.PROPOSE),
    Action(f"{_ONE}/form", "rules-build-start", build, **_CHANGE),
    Action(f"{_ONE}/add", "rules-build-add", add, again=show_sent, **_CHANGE),
)
