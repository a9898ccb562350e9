"""What decisions can be grouped by: a signal, the outcome, the operation, or rules that matched."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from gatehouse.conditions.catalogue import CUSTOM, Catalogue
from gatehouse.conditions.nodes import Type
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.signal import SignalInfo
from gatehouse.core.wording.sentences import Phrase
from gatehouse.figures.column_filter import RULE, ColumnFilter
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.exploration import GroupKey
from gatehouse.figures.layout import CUSTOM_MAPS
from gatehouse.figures.workspace import quoted, text

_NO_SIGNAL: Final = Phrase(
    "refused.explore_signal",
    "decisions cannot be grouped by {name}; name a signal, or one of {known}",
)

DECISION: Final = "decision"
OPERATION: Final = "operation"
RULE_HIT: Final = "rule"
SHADOW_HIT: Final = "shadowRule"
FACTS: Final[Mapping[str, str]] = {
    DECISION: "outcome",
    OPERATION: "operation",
    RULE_HIT: f"unnest(list_distinct(list_transform(matched, lambda each: {RULE})))",
    SHADOW_HIT: f"unnest(list_distinct(list_transform(shadow, lambda each: {RULE})))",
}
"""What decisions are grouped by besides signals, as filters of a search name it, and its SQL."""
_HITS: Final = {RULE_HIT: "matched", SHADOW_HIT: "shadow"}
_NAMES: Final = frozenset(("ip.asn",))
"""Numbers that are names: one more says nothing."""
_PARTS: Final = 10
_DIGITS: Final = 2


class Dimension(NamedTuple):
    """One thing that decisions are grouped by."""

    sql: str
    """A text for each decision, or for each of several values; NULL where nothing is known."""
    key_of: Callable[[str | None], GroupKey]
    is_ordered: bool = False
    """Whether groups stand in the order of their numbers."""
    column: str = ""
    """The column with the lists that several values are taken from."""

    @property
    def is_several(self) -> bool:
        """Whether a decision can have several values, or none."""
        return bool(self.column)


def grouping_signal(name: str, inputs: Mapping[str, Type]) -> SignalInfo:
    """The signal of this name, or `InvalidInput`."""
    info = Catalogue(inputs).find(name)
    if info is None:
        raise InvalidInput(_NO_SIGNAL(name=name[:80], known=", ".join(FACTS)))
    return info


def dimension(asking: ColumnConnection, name: str, wanted: ColumnFilter, most: int) -> Dimension:
    """How to group by this; `InvalidInput` when nothing is called so."""
    if name in FACTS:
        column = _HITS.get(name, "")
        return Dimension(FACTS[name], lambda value: GroupKey(value=value), column=column)
    info = grouping_signal(name, wanted.inputs)
    column = quoted(name)
    if name.startswith(CUSTOM):
        column = f"{CUSTOM_MAPS[info.type]}[{text(name)}]"
    if info.type is Type.NUMBER:
        return _of_numbers(asking, name, column, wanted, most)
    if info.type is Type.WORDS:
        return Dimension(f"unnest(list_distinct({column}))", _with(name, _has), column=column)
    write = _is if info.type is Type.TEXT else _flag
    return Dimension(f"{column}::VARCHAR", _with(name, write))


def _of_numbers(
    asking: ColumnConnection, name: str, column: str, wanted: ColumnFilter, most: int
) -> Dimension:
    """Each number for itself if they are few, or spans with about as many decisions each."""
    these = f"FROM {wanted.rows} WHERE {wanted.sql} AND {column} IS NOT NULL"
    few = asking.ask(f"SELECT DISTINCT {column} {these} LIMIT {most + 1}")
    if name in _NAMES or len(few) <= most:
        key_of = _with(name, lambda signal, value: f"{signal} = {value}", _plain)
        return Dimension(f"{column}::VARCHAR", key_of, name not in _NAMES)
    shares = [place / _PARTS for place in range(1, _PARTS)]
    [(found,)] = asking.ask(f"SELECT approx_quantile({column}, {shares}) {these}")
    borders = [_written(each) for each in sorted({float(f"{each:.{_DIGITS}g}") for each in found})]
    place = " + ".join(f"({column} >= {border})::INTEGER" for border in borders)
    return Dimension(f"({place})::VARCHAR", _span_key(name, borders), is_ordered=True)


def _span_key(name: str, borders: Sequence[str]) -> Callable[[str | None], GroupKey]:
    def key_of(value: str | None) -> GroupKey:
        if value is None:
            return GroupKey(condition=f"{name} IS NULL")
        place = int(value)
        least = borders[place - 1] if place else None
        below = borders[place] if place < len(borders) else None
        ends = [] if least is None else [f"{name} >= {least}"]
        ends += [] if below is None else [f"{name} < {below}"]
        return GroupKey(least=least, below=below, condition=" AND ".join(ends))

    return key_of


def _with(
    name: str, write: Callable[[str, str], str], read: Callable[[str], str] = str
) -> Callable[[str | None], GroupKey]:
    def key_of(value: str | None) -> GroupKey:
        if value is None:
            return GroupKey(condition=f"{name} IS NULL")
        plain = read(value)
        return GroupKey(value=plain, condition=write(name, plain))

    return key_of


def _is(name: str, value: str) -> str:
    return f"{name} = {text(value)}"


def _has(name: str, value: str) -> str:
    return f"HAS({name}, {text(value)})"


def _flag(name: str, value: str) -> str:
    return name if value == "true" else f"NOT {name}"


def _plain(value: str) -> str:
    return _written(float(value))


def _written(number: float) -> str:
    """A number as conditions write it."""
    return f"{number:.9f}".rstrip("0").rstrip(".")


def in_order(dimension: Dimension, keys: Sequence[Any]) -> list[Any]:
    """The largest first; numbers in their order, what is not known last."""
    if not dimension.is_ordered:
        return list(keys)
    return sorted(keys, key=lambda each: (each is None, 0.0 if each is None else float(each)))
