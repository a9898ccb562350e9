"""What could have been different about a request, as far as conditions look at it.

An alternative is only a proposal: whether it would have changed the decision is found out by
judging again. So all that matters here is that it can be said in words, and that it is small.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from gatehouse.conditions import nodes
from gatehouse.conditions.catalogue import CUSTOM, SIGNALS
from gatehouse.conditions.nodes import Condition, Node, Type, parts_of
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.explanations.bounds import Bound, bound_words
from gatehouse.explanations.phrases import (
    ANOTHER,
    BEEN,
    LISTED,
    NOT_HELD,
    NOT_KNOWN,
    NOT_LISTED,
    show_value,
)
from gatehouse.explanations.replay import Difference

EXEMPTED: Final = 2.0
"""The distance of what puts a request on a list: an exemption, and no other request."""
_MOST_TEXTS: Final = 8
_OTHER: Final = "(another)"
"""Stands for a text that no rule and no list names."""
_WHOLE_GROUPS: Final = ("velocity.", "order.items", "order.discounts", "request.", "card.months")


class Alternative(msgspec.Struct, frozen=True):
    """One thing that could have been different."""

    key: str
    """What it is about: two of one key exclude each other."""
    condition: str
    """In words; it follows "if" in a sentence."""
    difference: Difference
    distance: float = 1.0
    """How far it is from what was, relative to both; 1 for what is not a number."""
    bound: Bound | None = None
    consequence: str = ""
    parts: int = 1


class Thresholds(msgspec.Struct):
    """The numbers with which conditions compare each signal."""

    numbers: dict[str, set[float]] = {}
    elsewhere: set[str] = set()
    """Signals that conditions also reckon with in other ways."""

    def note(self, conditions: Iterable[Condition]) -> "Thresholds":
        """Add those of conditions."""
        for condition in conditions:
            for node in _walk(condition.root):
                self._note(node)
        return self

    def _note(self, node: Node) -> None:
        compared = _compared(node)
        if compared is not None:
            self.numbers.setdefault(compared[0], set()).update(compared[1])
            return
        if isinstance(node, nodes.IsNull) or _is_default(node):
            return
        for part in parts_of(node):
            if isinstance(part, nodes.Signal) and part.type is Type.NUMBER:
                self.elsewhere.add(part.name)


class RequestFacts(msgspec.Struct, frozen=True):
    """What is known of the request that was decided about."""

    values: Mapping[str, Any]
    is_listed: Callable[[str, str], bool]
    """Takes a list and a value."""


def alternatives(conditions: Iterable[Condition], recorded: RequestFacts) -> Iterator[Alternative]:
    """What would have to be different for a part of these conditions to come out differently."""
    seen: set[tuple[str, str]] = set()
    for condition in conditions:
        for node in _walk(condition.root):
            for one in _of_node(node, recorded):
                if (one.key, one.condition) not in seen:
                    seen.add((one.key, one.condition))
                    yield one


def _of_node(node: Node, recorded: RequestFacts) -> Iterator[Alternative]:
    values = recorded.values
    compared = _compared(node)
    if compared is not None:
        name, thresholds = compared
        for threshold in sorted(thresholds):
            yield from _numbers(name, values.get(name), threshold)
        return
    match node:
        case nodes.Compare(_, nodes.Signal() as left, nodes.Signal() as right):
            yield from _equal(left.name, right.name, values)
        case nodes.Listed(signal, name):
            yield from _listed(signal.name, name, recorded)
        case nodes.Compare(_, nodes.Signal() as one, nodes.Literal(str() as text)):
            yield from _texts(one.name, values, [text])
        case nodes.OneOf(nodes.Signal(_, Type.TEXT) as one, options):
            found = [each.value for each in options if isinstance(each, nodes.Literal)]
            yield from _texts(one.name, values, [text for text in found if isinstance(text, str)])
        case nodes.IsNull(nodes.Signal(name, _)):
            yield from _unknown(name, values)
        case nodes.Call("HAS", (nodes.Signal(name, _), nodes.Literal(str() as word)), _):
            yield from _held(name, values, word)
        case nodes.Signal(name, Type.BOOLEAN):
            yield from _opposite(name, values)
        case _:
            for part in parts_of(node):
                if isinstance(part, nodes.Signal) and part.type is Type.TEXT:
                    yield from _texts(part.name, values, [])


def _unknown(name: str, values: Mapping[str, Any]) -> Iterator[Alternative]:
    if values.get(name) is not None and not _is_fixed(name):
        yield _plain(name, None, NOT_KNOWN(signal=name))


def _held(name: str, values: Mapping[str, Any], word: str) -> Iterator[Alternative]:
    held = values.get(name)
    if held is not None and word in held and not _is_fixed(name):
        rest = [each for each in held if each != word]
        yield _plain(name, rest, NOT_HELD(signal=name, value=show_value(word)))


def _opposite(name: str, values: Mapping[str, Any]) -> Iterator[Alternative]:
    was = values.get(name)
    if isinstance(was, bool) and not _is_fixed(name):
        words = BEEN(signal=name, value=show_value(not was), was=show_value(was))
        yield _plain(name, not was, words)


def _listed(signal: str, name: str, recorded: RequestFacts) -> Iterator[Alternative]:
    value = recorded.values.get(signal)
    if isinstance(value, str):
        listed = recorded.is_listed(name, value)
        words = (NOT_LISTED if listed else LISTED)(signal=signal, list=name)
        changed = Difference({}, {(name, value): not listed})
        far = 1.0 if listed else EXEMPTED
        yield Alternative(f"list {name} {signal}", words, changed, far)


def _numbers(name: str, was: Any, threshold: float) -> Iterator[Alternative]:
    """The threshold itself and the number next to it, on the side where the value was not."""
    if isinstance(was, bool) or not isinstance(was, int | float) or _is_fixed(name):
        return
    whole = _is_whole(name, was)
    below = math.ceil(threshold) - 1 if whole else math.nextafter(threshold, -math.inf)
    above = math.floor(threshold) + 1 if whole else math.nextafter(threshold, math.inf)
    reachable = not whole or float(threshold).is_integer()
    proposed: list[tuple[float, str]] = []
    if was >= threshold:
        proposed += [(threshold, "at most")] if was > threshold and reachable else []
        proposed += [(below, "at most" if whole else "less than")]
    if was <= threshold:
        proposed += [(threshold, "at least")] if was < threshold and reachable else []
        proposed += [(above, "at least" if whole else "more than")]
    for value, relation in proposed:
        shown = int(value) if whole else value if value == threshold else threshold
        bound = Bound(name, was, int(value) if whole else value, relation, shown, whole)
        far = abs(value - was) / max(abs(value), abs(was), 1e-9)
        changed = Difference({name: bound.value})
        yield Alternative(name, bound_words(bound, exact=True), changed, far, bound)


def _texts(name: str, values: Mapping[str, Any], named: list[str]) -> Iterator[Alternative]:
    was = values.get(name)
    if not isinstance(was, str) or _is_fixed(name):
        return
    info = SIGNALS.get(name)
    for text in (*(info.values if info else ()), *named)[:_MOST_TEXTS]:
        if text != was:
            words = BEEN(signal=name, value=show_value(text), was=show_value(was))
            yield _plain(name, text, words)
    if info is None or not info.values:
        yield _plain(name, _OTHER, ANOTHER(signal=name, was=show_value(was)))


def _equal(left: str, right: str, values: Mapping[str, Any]) -> Iterator[Alternative]:
    """Either of two signals with the value of the other."""
    for one, other in ((left, right), (right, left)):
        was, wanted = values.get(one), values.get(other)
        if was is None or wanted is None:
            continue
        if isinstance(was, str):
            yield from _texts(one, values, [wanted])
        elif not isinstance(was, bool):
            yield from _numbers(one, was, wanted)


def _plain(name: str, value: Any, words: str) -> Alternative:
    return Alternative(name, words, Difference({name: value}))


def _is_fixed(name: str) -> bool:
    """Whether a signal changes only with its whole stage, or follows from other signals."""
    spec = REGISTRY.leaving(name)
    if spec is None:
        return False
    told = spec.explanation
    told_whole = () if told is None else told.told_whole
    ended = name == f"{spec.signals.prefix}.completed"
    return spec.runs_rule_set or name in told_whole or ended


def _is_whole(name: str, was: float) -> bool:
    """Whether a signal counts something."""
    if name.startswith(CUSTOM) or "amount" in name or not float(was).is_integer():
        return False
    return name.startswith(_WHOLE_GROUPS) and isinstance(was, int)


def _compared(node: Node) -> tuple[str, set[float]] | None:
    """The signal of a comparison with numbers that were written down, and these."""
    match node:
        case nodes.Compare(_, left, right):
            for one, other in ((left, right), (right, left)):
                signal = _number_signal(one)
                if signal is not None and isinstance(other, nodes.Literal):
                    return signal, _written([other])
        case nodes.OneOf(value, options):
            signal = _number_signal(value)
            if signal is not None and all(isinstance(each, nodes.Literal) for each in options):
                return signal, _written(options)
    return None


def _written(found: Iterable[Node]) -> set[float]:
    values = [each.value for each in found if isinstance(each, nodes.Literal)]
    return {each for each in values if isinstance(each, int | float) and not isinstance(each, bool)}


def _number_signal(node: Node) -> str | None:
    if isinstance(node, nodes.Signal):
        return node.name if node.type is Type.NUMBER else None
    if isinstance(node, nodes.Call) and _is_default(node):
        return _number_signal(node.arguments[0])
    return None


def _is_default(node: Node) -> bool:
    """Whether a node is a signal, or a number in its place where it is NULL."""
    match node:
        case nodes.Call("COALESCE", (nodes.Signal(_, Type.NUMBER), nodes.Literal()), _):
            return True
    return False


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(parts_of(node))
