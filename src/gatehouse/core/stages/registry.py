"""The stages that this installation has; `operations/stages.py` fills the registry at the start.

The dictionaries are changed in place, so a module may keep one of them as its own table.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

import msgspec

from gatehouse.core.stages.signal import SignalInfo
from gatehouse.core.stages.stage import StageSpec

V = TypeVar("V")


class StageRegistry:
    """Finds stages by what other rooms know of them."""

    def __init__(self) -> None:
        self._specs: dict[str, StageSpec] = {}
        self.default_fees: dict[str, int] = {}
        """By fee type, in micros."""
        self.by_prefix: dict[str, StageSpec] = {}
        self.signals: dict[str, SignalInfo] = {}
        """The signals of all stages; those of rules, which judge the others, come last."""
        self.policies: dict[str, type[msgspec.Struct]] = {}
        """What an account can choose, by the stage it is about, and what was found of it."""
        self.in_pipelines: tuple[StageSpec, ...] = ()
        """All stages in the order in which pipelines usually run them."""
        self.names: tuple[str, ...] = ()
        """Of all stages, in that order."""
        self.deciding: tuple[str, ...] = ()
        """Of the stages that have a verdict. The others leave signals, over which rules decide."""

    def register(self, spec: StageSpec) -> None:
        """Add a stage; nothing that names it may name another one already."""
        for known in self._specs.values():
            for mine in _names(spec) & _names(known):
                raise ValueError(f"stages {known.name} and {spec.name} are both called {mine}")
        self._specs[spec.name] = spec
        self._index()

    def remove(self, name: str) -> None:
        """Take a stage out again."""
        del self._specs[name]
        self._index()

    def __iter__(self) -> Iterator[StageSpec]:
        """The stages in the order in which they were registered."""
        return iter(self._specs.values())

    def __getitem__(self, name: str) -> StageSpec:
        return self._specs[name]

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def leaving(self, signal: str) -> StageSpec | None:
        """The stage that leaves a signal; None for what is known from the start."""
        return self.by_prefix.get(signal.partition(".")[0])

    def signals_of(self, name: str, facts: Mapping[str, Any], *, completed: bool) -> dict[str, Any]:
        """The signals that follow from a stage's facts, live or out of a decision record."""
        spec = self._specs.get(name)
        if spec is None or spec.signals.read is None:
            return {}
        found = spec.signals.read(facts)
        found[f"{spec.signals.prefix}.completed"] = completed
        return found

    def _index(self) -> None:
        specs = list(self._specs.values())
        self.in_pipelines = tuple(sorted(specs, key=lambda spec: spec.place))
        self.names = tuple(spec.name for spec in self.in_pipelines)
        self.deciding = tuple(spec.name for spec in self.in_pipelines if spec.decides)
        rules_last = sorted(self.in_pipelines, key=lambda spec: spec.runs_rule_set)
        signals = {one.name: one for spec in rules_last for one in spec.signals.catalogue}
        _refill(self.signals, signals)
        _refill(self.default_fees, {spec.fee_type: spec.default_fee_micros for spec in specs})
        _refill(self.by_prefix, {spec.signals.prefix: spec for spec in specs})
        policies = {spec.name: kind for spec in specs if (kind := spec.policy_type)}
        for spec in specs:
            policies.update(spec.more_policies)
        _refill(self.policies, policies)


def _refill(table: dict[str, V], rows: dict[str, V]) -> None:
    table.clear()
    table.update(rows)


def _names(spec: StageSpec) -> set[tuple[str, str]]:
    """Everything by which a stage is found, each with what kind of name it is."""
    names = {
        ("stage", spec.name),
        ("fee type", spec.fee_type),
        ("prefix", spec.signals.prefix),
        ("field", spec.request.field),
        ("field", spec.response.field),
    }
    return names | {("operation", spec.operation.name)} if spec.operation else names


REGISTRY: Final = StageRegistry()
