"""Live experiments of an account: those there are, what each has shown, and how one begins."""

import contextlib
from typing import Final

import msgspec
from starlette.responses import Response

from gatehouse.admin.approvals.pages import propose, waiting
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.approvals.use_cases.proposed import StartExperiment
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.experiments import use_cases
from gatehouse.admin.experiments.types.asked import (
    LONGEST_NAME,
    ExperimentShown,
    ExperimentWanted,
)
from gatehouse.admin.experiments.types.result import ExperimentResult, MeasureResult
from gatehouse.admin.experiments.types.sequential import MeasureVerdict
from gatehouse.admin.models.use_cases.versions import list_models
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.admin.search.pages.search_form import WHERE
from gatehouse.admin.search.use_cases.conditions import AddressedConditions
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.api_values import Money
from gatehouse.core.errors import ApprovalNeeded, NotFound
from gatehouse.pipeline.experiment import Arm, AssignedBy, ExperimentKind

_ALL: Final = "/a/{account}/experiments"
_ONE: Final = _ALL + "/{experiment}"


def show_experiments(visit: Visit) -> Response:
    """All experiments, and the form that starts one while none is under way."""
    found = use_cases.list_experiments(*visit.opened).experiments
    known = configurations.listing(*visit.opened, RULE_SETS)
    models = list_models(*visit.opened)
    wanted = approvals.wanted(*visit.opened)
    kinds = {use_cases.approval_of(each) for each in ExperimentKind}
    return visit.render(
        "experiments/experiments.html",
        experiments=found,
        running=any(each.ended_at is None for each in found),
        rule_sets=_options([each.definition.name for each in known]),
        models=_options([str(each.version) for each in models]),
        kinds=[(each, visit.text(f"experiments.kinds.{each}")) for each in ExperimentKind],
        units=[(each, visit.text(f"experiments.units.{each}")) for each in AssignedBy],
        longest_name=LONGEST_NAME,
        waiting=sum(waiting(visit, each) for each in kinds),
        needs_approval=bool(kinds & set(wanted)),
    )


def _options(names: list[str]) -> list[tuple[str, str]]:
    return [("", "–"), *((each, each) for each in names)]


def start(visit: Visit) -> Response:
    """Start an experiment, or propose to."""
    given = visit.given(ExperimentWanted)
    try:
        made = use_cases.start(*visit.opened, given)
    except ApprovalNeeded:
        return propose(visit, StartExperiment(given))
    return visit.redirect("experiment", experiment=made.id, notice="experiments.notices.started")


def show_experiment(visit: Visit) -> Response:
    """One experiment, and what it has shown so far."""
    name = visit.place("experiment")
    shown = use_cases.get_experiment(*visit.opened, name)
    result: ExperimentResult | None = None
    # Until something was counted, there is none.
    with contextlib.suppress(NotFound):
        result = use_cases.result(*visit.opened, name)
    return visit.render(
        "experiments/experiment.html",
        experiment=shown,
        result=result,
        measures=[] if result is None else _measures(visit, result),
        decisions={arm: _decisions(visit, shown, arm) for arm in Arm},
        paid=lambda amount: _paid(visit, amount),
    )


def end(visit: Visit) -> Response:
    """End it."""
    name = visit.place("experiment")
    use_cases.end(*visit.opened, name)
    return visit.redirect("experiment", experiment=name, notice="experiments.notices.ended")


class _ShownMeasure(msgspec.Struct, frozen=True):
    """A measure in words."""

    name: str
    tone: str
    found: MeasureResult
    interval: str
    needed: str


def _measures(visit: Visit, result: ExperimentResult) -> list[_ShownMeasure]:
    tones = {MeasureVerdict.HIGHER: "bad", MeasureVerdict.LOWER: "good"}
    shown = []
    for name, found in (("declines", result.declines), ("fraud", result.fraud)):
        most = "∞" if found.most is None else visit.number(found.most)
        needed = visit.text("experiments.needed.enough")
        if found.needed is None:
            needed = visit.text("experiments.needed.many")
        elif found.needed:
            needed = visit.text("experiments.needed.more", count=found.needed)
        interval = visit.text("experiments.between", least=visit.number(found.least), most=most)
        tone = tones.get(found.verdict, "plain")
        shown.append(_ShownMeasure(name, tone, found, interval, needed))
    return shown


def _decisions(visit: Visit, shown: ExperimentShown, arm: Arm) -> str:
    """The search that finds the decisions of an arm."""
    conditions = AddressedConditions(*visit.opened)
    wanted = f"experiment.id = '{shown.id}' AND experiment.arm = '{arm}'"
    return visit.url("decisions", {WHERE: conditions.addressed(wanted)})


def _paid(visit: Visit, amount: Money) -> str:
    return visit.money(amount.micros, amount.currency)


PAGES: Final[Declarations] = (
    Page(_ALL, "experiments", show_experiments, group="decide", does=use_cases.list_experiments),
    Page(_ONE, "experiment", show_experiment, does=use_cases.get_experiment),
    Action(
        f"{_ALL}/start",
        "experiment-start",
        start,
        again=show_experiments,
        does=use_cases.start,
    ),
    Action(f"{_ONE}/end", "experiment-end", end, again=show_experiment, does=use_cases.end),
)
