"""What stages found, read back from decision records as signals for rules."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageSpec
from gatehouse.decisions.record import StageOutline, read
from gatehouse.decisions.signal_layout import Layout, fits, rules_signals

Facts = Mapping[str, Any]
Stages = Sequence[StageOutline]

_MOST_PLANS: Final = 1000
_MOST_VIEWS: Final = 10_000


class RulesResult(CamelStruct):
    """The part of a Rules stage's result that matters here."""

    rule_set: str | None = None
    version: int | None = None
    status: Outcome | None = None
    matched: tuple[str, ...] = ()
    matched_late: tuple[str, ...] | None = None
    """None when rules did not wait for later stages."""


_decode_rules: Final = msgspec.json.Decoder(RulesResult).decode


class _WantedStage(NamedTuple):
    """A stage that gives wanted signals."""

    place: int
    decode: Callable[[Any], Any]
    signals: Callable[[Facts], dict[str, Any]]
    completed: str
    """The name of the signal that says whether it completed."""


class _StagePlan(NamedTuple):
    """Where to look in records of requests that went through the same stages."""

    rules: tuple[int, ...]
    """The places of the stages with rules."""
    wanted: tuple[_WantedStage, ...]


class StagesView(NamedTuple):
    """What a rule set sees of the stages of a request."""

    status: Outcome | None
    """What was decided where it ran."""
    wanted: tuple[_WantedStage, ...]
    """The stages that give signals to it."""
    of_rules: dict[str, Any]
    """What the rules before it found."""


class StageReader:
    """Reads the wanted signals of stages."""

    def __init__(self, layout: Layout) -> None:
        self._wanted = layout.stages
        self._kinds = tuple(layout.given.items())
        # Requests go through the same few pipelines, and rules find the same about most of them.
        self._plan = lru_cache(_MOST_PLANS)(self._make_plan)
        self._view = lru_cache(_MOST_VIEWS)(self._make_view)

    def view(self, stages: Stages, rule_set: str | None, *, in_the_end: bool = False) -> StagesView:
        """What the rule set of this name sees, or what was known in the end."""
        names = tuple([stage.name for stage in stages])
        found = [
            (bytes(stages[place].result), stages[place].completed)
            for place in self._plan(names).rules
        ]
        return self._view(names, tuple(found), rule_set, in_the_end)

    def view_of(
        self,
        names: tuple[str, ...],
        found: tuple[tuple[bytes, bool], ...],
        rule_set: str,
        *,
        in_the_end: bool,
    ) -> StagesView:
        """What the rule set of this name sees of stages with these names, or what was known.

        `found` is what each of those with rules found, and whether it completed.
        """
        return self._view(names, found, rule_set, in_the_end)

    def signals(self, stages: Stages, view: StagesView) -> list[Any]:
        """The wanted signals that are seen."""
        signals = view.of_rules.copy()
        for place, decode, signals_of, completed in view.wanted:
            stage = stages[place]
            signals.update(signals_of(facts_in(read(decode, stage.result))))
            signals[completed] = stage.completed
        find = signals.get
        return [
            value if (value := find(name)) is not None and fits(value, kind) else None
            for name, kind in self._kinds
        ]

    def _make_plan(self, names: tuple[str, ...]) -> _StagePlan:
        specs = [(place, REGISTRY[name]) for place, name in enumerate(names) if name in REGISTRY]
        return _StagePlan(
            tuple(place for place, spec in specs if spec.runs_rule_set),
            tuple(
                _WantedStage(
                    place,
                    msgspec.json.Decoder(facts_type(spec)).decode,
                    spec.signals.read,
                    f"{spec.signals.prefix}.completed",
                )
                for place, spec in specs
                if spec.name in self._wanted and spec.signals.read is not None
            ),
        )

    def _make_view(
        self,
        names: tuple[str, ...],
        found: tuple[tuple[bytes, bool], ...],
        rule_set: str | None,
        in_the_end: bool,
    ) -> StagesView:
        plan = self._plan(names)
        ruled = [_ruled(result) for result, _ in found]
        which = None if in_the_end else _where_ran(ruled, rule_set)
        own = None if which is None else ruled[which]
        seen = plan.wanted
        if which is not None and own is not None and own.matched_late is None:
            # In the first edition, rules did not wait for later stages.
            seen = tuple(stage for stage in seen if stage.place < plan.rules[which])
        before = [
            (one, completed)
            for place, one, (_, completed) in zip(plan.rules, ruled, found, strict=True)
            if names[place] in self._wanted
        ]
        return StagesView(None if own is None else own.status, seen, _together(before[:which]))


def _where_ran(ruled: Sequence[RulesResult], rule_set: str | None) -> int | None:
    """Which of the stages with rules ran the rule set; or else the last of them."""
    for which, one in enumerate(ruled):
        if rule_set is not None and one.rule_set == rule_set:
            return which
    return len(ruled) - 1 if ruled else None


def _together(before: Sequence[tuple[RulesResult, bool]]) -> dict[str, Any]:
    """The signals of all these stages with rules."""
    if not before:
        return {}
    status = strongest(one.status for one, _ in before if one.status is not None)
    matched = [name for one, _ in before for name in one.matched]
    return rules_signals(status, matched, all(completed for _, completed in before))


def matches_in(stages: Stages) -> list[str]:
    """The rules that matched, each as rule set, version and rule."""
    return [
        f"{found.rule_set}/{found.version}/{name}"
        for stage in stages
        if stage.name in REGISTRY and REGISTRY[stage.name].runs_rule_set
        for found in (_ruled(bytes(stage.result)),)
        for name in found.matched
    ]


def _ruled(result: bytes) -> RulesResult:
    try:
        return _decode_rules(result)
    except msgspec.ValidationError:
        return RulesResult()


def facts_type(spec: StageSpec) -> Any:
    """The type of those facts of a stage that its signals are made from."""
    fields = [(name, Any, None) for name in spec.signals.facts]
    return msgspec.defstruct("Facts", fields, gc=False) if fields else dict[str, Any]


def facts_in(decoded: Any) -> Facts:
    """The facts, decoded as that type."""
    facts: Facts = decoded if type(decoded) is dict else msgspec.structs.asdict(decoded)
    return facts
