"""One rule as a thing with a page: what it says, what it did, its switch, and what is wrong."""

from functools import partial
from typing import Any, Final

from markupsafe import Markup
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose, waiting
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.approvals.use_cases.proposed import ApplyRules
from gatehouse.admin.configurations.pages import VersionPages, applied_notice, base_of
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady
from gatehouse.admin.figures.use_cases.rule_figures import RuleHits, RuleSetHits, rule_figures
from gatehouse.admin.figures.use_cases.rule_health import (
    FindingWriter,
    HealthAsked,
    KeptHealth,
    orders_of_rule,
    rule_set_health,
)
from gatehouse.admin.rule_sets.pages.rule_preview import amounts
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.one_rule import changed_version, show_rule
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.conditions.plain_words import rule_in_words
from gatehouse.console.charts.charts import Series, Words
from gatehouse.console.charts.plots import TimeChart, zoom_of
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.forms.spans import PRESETS, chosen_span, part_labels
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import said_by
from gatehouse.rules.changing import RuleChange, rule_named
from gatehouse.rules.ruleset import RuleState

_NEWER: Final = "newer"
_MOMENT: Final = 13
"""The digits of a moment in milliseconds."""
_VERSIONS: Final = VersionPages(RULE_SETS, "rules", "set")


def show(visit: Visit) -> Response:
    """The page of a rule; figures that are not counted yet are left out."""
    names = (visit.place("set"), visit.place("rule"))
    shown = show_rule(*visit.opened, *names).answer
    rule = rule_named(rule_sets.get(*visit.opened, names[0]).definition, names[1])
    span = chosen_span(visit)
    columns = visit.columns
    hits, figures, orders = None, None, []
    try:
        hits = rule_figures(visit.session, columns, names[0], span.figures)
        figures = next((each for each in hits.rules if each.name == rule.name), None)
        orders = orders_of_rule(visit.session, columns, names, span.figures)
    except FiguresNotReady:
        pass
    return visit.render(
        "rules/rule.html",
        rule=shown,
        sentence=rule_in_words(rule.outcome, rule.condition, visit.said),
        states=tuple(RuleState),
        hits=hits,
        figures=figures,
        trend=_trend(visit, hits, figures),
        orders=orders,
        period=span,
        presets=tuple(PRESETS),
        waiting=waiting(visit, ApprovalKind.RULES),
        proposing=_VERSIONS.needs_approval(visit),
        amounts=amounts,
    )


def switch(visit: Visit) -> Response:
    """Switch the rule off, to shadow or live, or propose it where two pairs of eyes are wanted."""
    names = (visit.place("set"), visit.place("rule"))
    sent = visit.form["state"]
    if sent not in tuple(RuleState):
        raise visit.refuse("state", "rules.one.state_missing")
    state, seen = RuleState(sent), base_of(visit)
    usual = visit.text("rules.one.note", rule=names[1], state=visit.text(f"rules.states.{state}"))
    note = visit.entered("note") or usual
    new = changed_version(*visit.opened, *names, RuleChange(state))
    base = new.base if seen is None else seen
    if _VERSIONS.needs_approval(visit):
        return propose(visit, ApplyRules(new.content.decode(), base, note))
    done = rule_sets.apply(*visit.opened, type(new)(new.content, base, note))
    return visit.redirect("rule", set=names[0], rule=names[1], notice=applied_notice(done))


def show_findings(visit: Visit) -> Response:
    """What is wrong with the rules of a set, or with the one that the path names."""
    name, only = visit.place("set"), visit.asked.places.get("rule")
    if only is not None:
        show_rule(*visit.opened, name, only)
    kept, problem = _health(visit, name)
    health = kept.health if kept else None
    return visit.render(
        "rules/findings_part.html" if visit.is_fragment else "rules/findings.html",
        name=name,
        only=only,
        problem=problem,
        kept=kept,
        here=partial(_here, visit),
        health=health,
        findings=[each for each in health.findings if only in (None, each.rule)] if health else [],
        overlaps=[each for each in health.overlaps if each.rule == only][:8] if health else [],
    )


def _here(visit: Visit, newer_than_ms: int = 0) -> str:
    """The same page, of findings that are newer than some."""
    chosen = {name: visit.query[name] for name in ("span", "from", "to")}
    name = "rules-findings" if "rule" not in visit.asked.places else "rule-findings"
    return visit.url(name, {**chosen, _NEWER: newer_than_ms or ""}, **visit.asked.places)


def _health(visit: Visit, name: str) -> tuple[KeptHealth | None, str | None]:
    """What is wrong, or why that cannot be said."""
    write = FindingWriter(visit.formats.percent, visit.formats.money)
    newer_than_ms = read_number(visit.query[_NEWER], _MOMENT) or 0
    asked = HealthAsked(name, chosen_span(visit).figures, newer_than_ms)
    try:
        copies = visit.desk.columns
        return rule_set_health(visit.session, copies, visit.account_id, asked, write), None
    except FiguresNotReady:
        return None, visit.text("rules.preview.not_ready")
    except InvalidInput as error:
        return None, visit.said(said_by(error))


def _trend(visit: Visit, hits: RuleSetHits | None, figures: RuleHits | None) -> Markup | None:
    """The hits of the rule over the span."""
    if hits is None or figures is None or not figures.hits + figures.shadow_hits:
        return None
    words = Words(
        title=visit.text("rules.trend_of", name=figures.name),
        axis=visit.text("rules.hits"),
        description=visit.text("rules.trend_words"),
        label=visit.text("overview.when"),
        table=visit.text("common.data"),
        write=lambda value: visit.number(value, 0),
    )
    url = visit.url("rule", set=hits.rule_set, rule=figures.name)
    hint, zone = visit.text("overview.zoom"), visit.formats.zone
    return TimeChart(
        words=words,
        labels=part_labels(visit, hits.starts_ms, hits.bucket),
        series=[Series(visit.text("rules.hits"), figures.trend)],
        zoom=zoom_of(url, hint, hits.starts_ms, hits.until_ms, zone),
        height=160,
    ).drawn()


_SET: Final = "/a/{account}/rules/{set}"
_ONE: Final = f"{_SET}/rule/{{rule}}"
_SEE: Final[dict[str, Any]] = {"permission": Permission.SEE}

PAGES: Final[Declarations] = (
    Page(_ONE, "rule", show, does=show_rule),
    Page(f"{_ONE}/findings", "rule-findings", show_findings, **_SEE),
    Page(f"{_SET}/findings", "rules-findings", show_findings, **_SEE),
    Action(f"{_ONE}/state", "rule-switch", switch, permission=Permission.PROPOSE, again=show),
)
