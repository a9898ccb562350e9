"""Which signals are wanted of a record, and where in it they are found."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gatehouse.conditions.catalogue import SIGNALS, place_of
from gatehouse.conditions.nodes import Type
from gatehouse.core.stages.registry import REGISTRY

LARGEST: Final = 2**53
"""Numbers count when they are smaller than this, on both sides of zero."""


class Layout:
    """Chosen signals, and where in a record they are found."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self.own: dict[str, Type] = {}
        """Signals of the request itself."""
        self.velocity: dict[str, list[tuple[str, int]]] = {}
        """Lists of measures: which signals are where in them."""
        self.given: dict[str, Type] = {}
        """Signals that stages gave."""
        self.stages: set[str] = set()
        """Stages whose results are wanted."""
        for name, kind in types.items():
            place = place_of(name)
            spec = REGISTRY.by_prefix.get(name.partition(".")[0])
            if place is not None:
                self.velocity.setdefault(place[0], []).append((name, place[1]))
            elif spec is not None:
                self.given[name] = kind
                self.stages.add(spec.name)
            else:
                self.own[name] = kind

    @property
    def types(self) -> dict[str, Type]:
        """All chosen signals, in the order in which records are read."""
        measures = [name for places in self.velocity.values() for name, _ in places]
        return {**self.own, **dict.fromkeys(measures, Type.NUMBER), **self.given}

    def pick(self, signals: Mapping[str, Any]) -> dict[str, Any]:
        """The requested signals of the request itself, without values of the wrong type.

        Velocity stays in its lists.
        """
        picked = {
            name: value
            for name, kind in self.own.items()
            if (value := signals.get(name)) is not None and fits(value, kind)
        }
        for group in self.velocity:
            measures = signals.get(group)
            if type(measures) is list:
                picked[group] = [one if fits(one, Type.NUMBER) else None for one in measures]
        return picked

    def flat(self, signals: Mapping[str, Any]) -> dict[str, Any]:
        """The same with each measure of velocity under its own name."""
        picked = self.pick(signals)
        for group, places in self.velocity.items():
            measures = picked.pop(group, ())
            # A record of an older version has fewer measures; those that came since are NULL.
            known = ((name, measures[place]) for name, place in places if place < len(measures))
            picked.update((name, value) for name, value in known if value is not None)
        return picked


def everything() -> Layout:
    """All that the catalogue knows."""
    return Layout({name: info.type for name, info in SIGNALS.items()})


# To name a member of an enumeration takes longer than the comparison.
_NUMBER, _TEXT, _BOOLEAN = Type.NUMBER, Type.TEXT, Type.BOOLEAN
_WORD: Final = {str}


def fits(value: Any, kind: Type) -> bool:
    """Whether a value has the type that conditions rely on; they take any other for NULL."""
    is_a = type(value)
    if kind is _NUMBER:
        return (is_a is float or is_a is int) and -LARGEST < value < LARGEST
    if kind is _TEXT:
        return issubclass(is_a, str)
    if kind is _BOOLEAN:
        return is_a is bool
    if not issubclass(is_a, list | tuple):
        return False
    return {*map(type, value)} <= _WORD or all(isinstance(word, str) for word in value)


RULES_SIGNALS: Final[dict[str, Any]] = dict.fromkeys(
    ("rules.status", "rules.matched", "rules.completed")
)
"""What is known of rules before any has run: nothing."""


def rules_signals(status: str, matched: Iterable[str], completed: bool) -> dict[str, Any]:
    """The signals of the stages with rules so far: the strongest outcome and all that matched."""
    return {
        "rules.status": str(status),
        "rules.matched": list(matched),
        "rules.completed": completed,
    }
