"""How far an account is from the networks' programmes, and what a rule set would change in it."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.pages import DOCUMENT_BYTES
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady
from gatehouse.admin.programmes.types.counting import MeteredScope
from gatehouse.admin.programmes.types.enumeration import EnumerationEstimate
from gatehouse.admin.programmes.types.meter import STEPS, events_for
from gatehouse.admin.programmes.types.report import MeteredProgramme, MeterFilter, Outlook
from gatehouse.admin.programmes.types.thresholds import ProgrammeSubject
from gatehouse.admin.programmes.types.what_if import WhatIfMonth, WhatIfReport
from gatehouse.admin.programmes.use_cases import metering
from gatehouse.admin.programmes.use_cases.enumeration import estimate_enumeration
from gatehouse.admin.programmes.use_cases.replaying import replay_columns
from gatehouse.admin.programmes.use_cases.what_if import DEFAULT_DAYS, try_rules
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.console.charts.gauges import Gauge
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import said_by
from gatehouse.rules.authoring import read_rule_set
from gatehouse.store.decisions.records import RecordSpan

_GAUGES: Final = 6
"""How many of the nearest levels have a gauge."""
_MONTH: Final = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
_DAY_MS: Final = 86_400_000
_TONES: Final = {
    Outlook.MET: "bad",
    Outlook.LIKELY: "bad",
    Outlook.POSSIBLE: "warn",
    Outlook.UNLIKELY: "good",
}


class ShownGauge(NamedTuple):
    """A level with its picture and what it says."""

    each: MeteredProgramme
    picture: Markup
    said: str


def show_programmes(visit: Visit) -> Response:
    """A month against every threshold, this one if no other is asked for."""
    asked = visit.query["month"]
    month = asked if _MONTH.fullmatch(asked) else None
    report = metering.get_programmes(*visit.opened, MeterFilter(month))
    ours = [each for each in report.standings if each.of is ProgrammeSubject.MERCHANT]
    others = [each for each in report.standings if each.of is not ProgrammeSubject.MERCHANT]
    return visit.render(
        "programmes/programmes.html",
        report=report,
        ours=ours,
        others=others,
        gauges=[_gauge(visit, each) for each in _apart(ours)[:_GAUGES]],
        enumeration=_enumeration(visit, month),
        formulas=dict.fromkeys(
            (
                f"{each.programme}, {each.level}",
                each.formula,
                each.source,
                each.unverified,
                each.alone,
            )
            for each in report.standings
        ),
        forecast=next((each.forecast.formula for each in ours if each.forecast), None),
        distance=lambda each: _distance(visit, each),
        tones=_TONES,
    )


def _apart(standings: Sequence[MeteredProgramme]) -> list[MeteredProgramme]:
    """Without merchant ids that are all of the account: they would have the same gauge again."""
    whole = {_figures(each) for each in standings if each.scope is MeteredScope.ACCOUNT}
    return [
        each
        for each in standings
        if each.scope is MeteredScope.ACCOUNT or _figures(each) not in whole
    ]


def _figures(each: MeteredProgramme) -> tuple[str, str, str, str | None, int, int]:
    same = (each.programme, each.level, each.network, each.region)
    return (*same, each.events, each.sales)


def _gauge(visit: Visit, each: MeteredProgramme) -> ShownGauge:
    ahead, needed = each.forecast, each.needed_events
    if ahead is not None:
        needed = max(each.limit_events, events_for(each.limit_basis_points, ahead.sales), 1)
    said = _distance(visit, each)
    picture = Gauge(
        title=f"{each.programme} {each.network} {each.merchant_id or ''}".strip(),
        description=said,
        reached=each.reached_percent / 100,
        low=None if ahead is None else ahead.events_low / needed,
        high=None if ahead is None else ahead.events_high / needed,
        marks=[step / 100 for step in STEPS[:-1]],
    ).drawn()
    return ShownGauge(each, picture, said)


def _distance(visit: Visit, each: MeteredProgramme) -> str:
    """How far it is, such as: 41 more events until 1.5 % and 1,500 events."""
    if each.met:
        return visit.text("programmes.met")
    if each.events_left is None:
        why = ", ".join(visit.text(f"programmes.missing.{one}") for one in each.missing)
        return visit.text("programmes.kept", why=why)
    return visit.text(
        "programmes.more",
        count=each.events_left,
        ratio=visit.formats.percent(each.limit_basis_points / 10_000, 2),
        events=visit.number(each.limit_events, 0),
    )


def _enumeration(visit: Visit, month: str | None) -> EnumerationEstimate | None:
    """The estimate; None while the copy is being made."""
    try:
        columns = visit.columns
        return estimate_enumeration(visit.session, columns, month)
    except FiguresNotReady:
        return None


def show_thresholds(visit: Visit) -> Response:
    """The table in force, with its sources."""
    table = metering.thresholds_in_force(*visit.opened)
    return visit.render("programmes/thresholds.html", table=table)


def show_what_if(visit: Visit, report: WhatIfReport | None = None, unseen: str = "") -> Response:
    """The rule set in force, to be edited, and what a draft would have changed."""
    found = configurations.listing(*visit.opened, RULE_SETS)
    wanted = visit.query["set"]
    chosen = next((each for each in found if each.definition.name == wanted), None)
    chosen = chosen or (found[0] if found else None)
    return visit.render(
        "programmes/what_if.html",
        names=[each.definition.name for each in found],
        document=chosen.document if chosen else "",
        days=DEFAULT_DAYS,
        report=report,
        changed=[each for each in report.months if _is_changed(each)] if report else [],
        unseen=unseen,
    )


def _is_changed(each: WhatIfMonth) -> bool:
    return (each.events, each.sales) != (each.events_after, each.sales_after)


def try_draft(visit: Visit) -> Response:
    """Replay a draft over the last days, on the console's copy of the decisions."""
    try:
        rule_set = read_rule_set(visit.form["document"].encode())
    except InvalidInput as error:
        raise FormRefused({"document": visit.said(said_by(error))}) from None
    since_ms = visit.now_ms - DEFAULT_DAYS * _DAY_MS
    span = RecordSpan(visit.account_id, since_ms, visit.now_ms + 1)
    columns = visit.columns
    try:
        report = replay_columns(visit.session, columns, rule_set, span)
    except FiguresNotReady:
        return show_what_if(visit, unseen=visit.text("programmes.not_ready"))
    except NotFound:
        return show_what_if(visit, unseen=visit.text("programmes.nothing"))
    return show_what_if(visit, report)


_ALL: Final = "/a/{account}/programmes"

PAGES: Final[Declarations] = (
    Page(
        _ALL,
        "programmes",
        show_programmes,
        group="account",
        does=metering.get_programmes,
        besides=Permission.SEE,
    ),
    Page(
        f"{_ALL}/thresholds",
        "programme-thresholds",
        show_thresholds,
        does=metering.thresholds_in_force,
        besides=Permission.SEE,
    ),
    Page(f"{_ALL}/what-if", "programmes-what-if", show_what_if, permission=Permission.CONFIGURE),
    Action(
        f"{_ALL}/what-if/try",
        "programmes-try",
        try_draft,
        does=try_rules,
        again=show_what_if,
        most_bytes=DOCUMENT_BYTES,
    ),
)
