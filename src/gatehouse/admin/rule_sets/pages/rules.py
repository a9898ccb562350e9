"""The rules of an account: what each did, and the editor with what a draft would have done."""

from typing import Any, Final

from starlette.responses import JSONResponse, Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose, waiting
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.approvals.use_cases.proposed import ApplyRules
from gatehouse.admin.configurations.pages import (
    DOCUMENT_BYTES,
    VersionPages,
    applied_notice,
    base_of,
)
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import ConfigurationVersion, NewVersion
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady
from gatehouse.admin.figures.use_cases.preview import Superseded
from gatehouse.admin.figures.use_cases.rule_figures import RuleSetHits, rule_figures
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.rule_sets.pages.rule_list import GROUPS, SORTS, STATES, RuleOrder, arranged
from gatehouse.admin.rule_sets.pages.rule_preview import (
    SPANS,
    Draft,
    amounts,
    previewed,
    rule_set_name,
)
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.conditions.catalogue import SIGNALS, kinds_for
from gatehouse.conditions.plain_words import rule_in_words
from gatehouse.console.charts.charts import spark
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.forms.spans import PRESETS, chosen_span
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit
from gatehouse.console.words.signals import FUNCTIONS_ABOUT, signal_about
from gatehouse.core.errors import InvalidInput
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import RuleSet

VERSIONS: Final = VersionPages(RULE_SETS, "rules", "set")
_PHRASES: Final = {
    "Find": "find",
    "Replace": "replace",
    "next": "next",
    "previous": "previous",
    "all": "all",
    "match case": "match_case",
    "regexp": "regexp",
    "by word": "by_word",
    "replace": "replace_one",
    "replace all": "replace_all",
    "close": "close",
    "Completions": "completions",
    "Diagnostics": "diagnostics",
    "No diagnostics": "no_diagnostics",
    "current match": "current_match",
    "on line": "on_line",
}
"""What the editor says by itself, and the texts for it."""
_EXAMPLE: Final = """\
rule_set: {name}
description: {purpose}

rules:
  - name: large-order
    description: {large_order}
    condition: order.amount > 1000
    outcome: REVIEW
    shadow: true
"""


def show_rules(visit: Visit) -> Response:
    """One rule set with the hits of each of its rules, beside the others."""
    found = configurations.listing(*visit.opened, RULE_SETS)
    wanted = visit.query["set"]
    chosen = next((each for each in found if each.definition.name == wanted), None)
    chosen = chosen or (found[0] if found else None)
    span = chosen_span(visit)
    hits = None if chosen is None else _hits(visit, chosen)
    order = RuleOrder.chosen(visit.query)
    return visit.render(
        "rules/rules.html",
        sets=found,
        chosen=chosen,
        period=span,
        presets=tuple(PRESETS),
        hits=hits,
        groups=[] if chosen is None else arranged(chosen.definition, hits, order),
        order=order,
        sorts=SORTS,
        group_names=GROUPS,
        states=STATES,
        sentence=lambda rule: rule_in_words(rule.outcome, rule.condition, visit.said),
        waiting=waiting(visit, ApprovalKind.RULES),
        spark=spark,
        amounts=amounts,
    )


def _hits(visit: Visit, chosen: ConfigurationVersion[RuleSet]) -> RuleSetHits | None:
    columns = visit.columns
    figures = chosen_span(visit).figures
    try:
        return rule_figures(visit.session, columns, chosen.definition.name, figures)
    except FiguresNotReady:
        return None


def show_new(visit: Visit) -> Response:
    """The editor with an example."""
    example = _EXAMPLE.format(
        name="my-rules",
        purpose=visit.text("rules.example.purpose"),
        large_order=visit.text("rules.example.large_order"),
    )
    return _edit(visit, None, example)


def show_edit(visit: Visit) -> Response:
    """The editor with the version in force, or with an earlier one."""
    name = visit.place("set")
    found = rule_sets.get(*visit.opened, name)
    document = found.document
    earlier = read_number(visit.query["version"])
    if earlier is not None:
        document = rule_sets.get(*visit.opened, name, earlier).document
    return _edit(visit, found, document)


def show_sent(visit: Visit) -> Response:
    """The editor again, with what was sent."""
    name, document = visit.form["set"], visit.form["document"]
    found = rule_sets.get(*visit.opened, name) if name else None
    if found is not None and visit.form.get("rule") and base_of(visit) == found.version:
        return show_change(visit, found, document)
    return _edit(visit, found, document)


def show_change(
    visit: Visit, found: ConfigurationVersion[RuleSet], document: str, **more: Any
) -> Response:
    """One rule as it was and as it would be, and what the draft would have done."""
    name = visit.form.get("rule") or visit.entered("name")
    try:
        drafted = read_rule_set(document.encode())
        draft = previewed(visit, document, _days(visit))
    except (InvalidInput, Superseded):
        return _edit(visit, found, document)
    return visit.render(
        "rules/change.html",
        name=found.definition.name,
        rule=name,
        sides=[
            next((each for each in one.rules if each.name == name), None)
            for one in (found.definition, drafted)
        ],
        sentence=lambda rule: rule_in_words(rule.outcome, rule.condition, visit.said),
        document=document,
        base=found.version,
        draft=draft,
        days=_days(visit),
        spans=SPANS,
        note=visit.form["note"],
        proposing=VERSIONS.needs_approval(visit),
        amounts=amounts,
        **more,
    )


def _edit(
    visit: Visit, found: ConfigurationVersion[RuleSet] | None, document: str, **more: Any
) -> Response:
    base = base_of(visit)
    newer = None
    if found is not None and base not in (None, found.version):
        seen = (base, found.version)
        name = found.definition.name
        newer = configurations.compare(*visit.opened, RULE_SETS, name, seen)
    draft = more.pop("draft", None)
    return visit.render(
        "rules/edit.html",
        found=found,
        name=found.definition.name if found else None,
        document=document,
        base=base or (found.version if found else None),
        newer=newer,
        note=visit.form["note"],
        days=_days(visit),
        spans=SPANS,
        draft=draft,
        proposing=VERSIONS.needs_approval(visit),
        amounts=amounts,
        **more,
    )


def preview(visit: Visit) -> Response:
    """What a draft would have done; a script asks for the part, a button for the whole page."""
    document = visit.form["document"]
    try:
        draft = previewed(visit, document, _days(visit))
    except Superseded:
        return Response(status_code=204)
    if visit.is_fragment:
        return visit.render("rules/preview.html", draft=draft, amounts=amounts)
    if visit.form.get("rule"):
        return show_sent(visit)
    return with_draft(visit, document, draft)


def with_draft(visit: Visit, document: str, draft: Draft) -> Response:
    """The editor with a draft and what it would have done."""
    name = visit.form["set"]
    found = rule_sets.get(*visit.opened, name) if name else None
    return _edit(visit, found, document, draft=draft)


def apply(visit: Visit) -> Response:
    """Put a draft in force, or propose it where two pairs of eyes are wanted."""
    document, note = visit.form["document"], visit.entered("note")
    name, base = visit.form["set"], base_of(visit)
    if not note:
        raise visit.refuse("note", "rules.problems.note")
    new = NewVersion(document.encode(), base, note, is_first=not name)
    _check_name(visit, name, rule_set_name(document))
    if VERSIONS.needs_approval(visit):
        return propose(visit, ApplyRules(document, base, note))
    done = rule_sets.apply(*visit.opened, new)
    if rule := visit.form.get("rule"):
        return visit.redirect("rule", set=done.name, rule=rule, notice=applied_notice(done))
    return visit.redirect("rules", query={"set": done.name}, notice=applied_notice(done))


def _check_name(visit: Visit, name: str, written: str) -> None:
    """A draft of one rule set must not become another by a slip of the pen."""
    if name and written != name:
        raise Told(visit.text("rules.problems.name", name=name, written=written))


def words(visit: Visit) -> Response:
    """What the editor completes: signals, lists and functions, with what each is."""
    signals = [
        {
            "name": each.name,
            "type": each.type,
            "about": signal_about(visit, each),
            "example": each.example,
            "values": each.values,
            "lists": kinds_for(each.name),
        }
        for each in SIGNALS.values()
    ]
    known = lists.overview(*visit.opened).lists
    return JSONResponse(
        {
            "signals": signals,
            "lists": [
                {"name": each.name, "kind": each.kind, "about": visit.said(each.description or "")}
                for each in known
            ],
            "phrases": {said: visit.text(f"editor.{key}") for said, key in _PHRASES.items()},
            "functions": [
                {"name": name, "about": visit.said(about())}
                for name, about in FUNCTIONS_ABOUT.items()
            ],
        }
    )


def _days(visit: Visit) -> int:
    chosen = read_number(visit.form["days"])
    return chosen if chosen in SPANS else SPANS[1]


_ALL: Final = "/a/{account}/rules"
_CHANGE: Final[dict[str, Any]] = {"permission": Permission.PROPOSE}
_SENT: Final[dict[str, Any]] = {**_CHANGE, "again": show_sent, "most_bytes": DOCUMENT_BYTES}

PAGES: Final[Declarations] = (
    Page(_ALL, "rules", show_rules, permission=Permission.SEE),
    Page(f"{_ALL}/new", "rules-new", show_new, **_CHANGE),
    Page(f"{_ALL}/words", "rules-words", words, **_CHANGE),
    Page(f"{_ALL}/{{set}}/edit", "rules-edit", show_edit, **_CHANGE),
    Action(f"{_ALL}/preview", "rules-preview", preview, **_SENT),
    Action(f"{_ALL}/apply", "rules-apply", apply, **_SENT),
    *VERSIONS.declared(f"{_ALL}/{{set}}"),
)
