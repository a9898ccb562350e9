"""What stages found, read back from decision records as signals for rules."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.outcomes import Outcome, strongest
from gatehouse.core.stage import StageSpec
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.decisions.record import StageOutline, read
from gatehouse.decisions.signal_layout import Layout, fits, rules_signals

Facts = Mapping[str, Any]


class RulesResult(msgspec.Struct, frozen=True, rename="camel"):
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
    decode: Callable[[Any], Facts]
    signals: Callable[[Facts], dict[str, Any]]
    completed: str
    """The name of the signal that says whether it completed."""


class _Plan(NamedTuple):
    """Where to look in records of requests that went through these stages."""

    rules: tuple[int, ...]
    """The places of the stages with rules."""
    wanted: tuple[_WantedStage, ...]


class StageReader:
    """Reads the wanted signals of stages."""

    def __init__(self, layout: Layout) -> None:
        self._wanted = layout.stages
        self._kinds = layout.given
        self._names_rules = any(REGISTRY[name].runs_rule_set for name in layout.stages)
        # Requests go through the same few pipelines.
        self._plan = lru_cache(1000)(self._make_plan)

    def rules_in(self, stages: Sequence[StageOutline]) -> dict[int, RulesResult]:
        """What the stages with rules found, by their places."""
        plan = self._plan(tuple([stage.name for stage in stages]))
        return {place: _ruled(bytes(stages[place].result)) for place in plan.rules}

    def given(
        self,
        stages: Sequence[StageOutline],
        ruled: Mapping[int, RulesResult],
        own_place: int | None = None,
    ) -> list[Any]:
        """What the stages told the rules at this place, or all of them told: the wanted signals."""
        plan = self._plan(tuple([stage.name for stage in stages]))
        last = len(stages)
        if own_place is not None and ruled[own_place].matched_late is None:
            last = own_place
        signals: dict[str, Any] = {}
        for place, decode, signals_of, completed in plan.wanted:
            if place < last:
                stage = stages[place]
                signals |= signals_of(read(decode, stage.result))
                signals[completed] = stage.completed
        if self._names_rules:
            before = [place for place in plan.rules if own_place is None or place < own_place]
            signals |= _together(stages, [(place, ruled[place]) for place in before])
        find = signals.get
        return [
            value if (value := find(name)) is not None and fits(value, kind) else None
            for name, kind in self._kinds.items()
        ]

    def _make_plan(self, names: tuple[str, ...]) -> _Plan:
        specs = [(place, REGISTRY[name]) for place, name in enumerate(names) if name in REGISTRY]
        return _Plan(
            tuple(place for place, spec in specs if spec.runs_rule_set),
            tuple(
                _WantedStage(
                    place, _facts_of(spec), spec.signals.read, f"{spec.signals.prefix}.completed"
                )
                for place, spec in specs
                if spec.name in self._wanted and spec.signals.read is not None
            ),
        )


def where_ran(ruled: Mapping[int, RulesResult], rule_set: str | None) -> int | None:
    """The place of the stage at which the rule set ran, or else of the last one with rules."""
    last = None
    for place, one in ruled.items():
        if rule_set is not None and one.rule_set == rule_set:
            return place
        last = place
    return last


def _together(
    stages: Sequence[StageOutline], before: Sequence[tuple[int, RulesResult]]
) -> dict[str, Any]:
    """The signals of all these stages with rules."""
    if not before:
        return {}
    status = strongest(one.status for _, one in before if one.status is not None)
    matched = [name for _, one in before for name in one.matched]
    return rules_signals(status, matched, all(stages[place].completed for place, _ in before))


# Rules find the same about most requests.
@lru_cache(4096)
def _ruled(result: bytes) -> RulesResult:
    try:
        return _decode_rules(result)
    except msgspec.ValidationError:
        return RulesResult()


def _facts_of(spec: StageSpec) -> Callable[[Any], Facts]:
    """Decodes those facts of a stage that its signals are made from."""
    if not spec.signals.facts:
        return msgspec.json.Decoder(dict[str, Any]).decode
    fields = [(name, Any, None) for name in spec.signals.facts]
    decode = msgspec.json.Decoder(msgspec.defstruct("Facts", fields)).decode
    as_dict = msgspec.structs.asdict
    return lambda text: as_dict(decode(text))
