"""What rules saw, or would have seen, of a request: read back from its decision record.

A rule set sees the signals of the request itself and the results of all stages, because each rule
waits for the stages it speaks of. Records of the first edition, whose rules did not wait, show it
only the stages before its own. So a backtest asks the question of its time again.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.conditions.catalogue import CUSTOM, VELOCITY
from gatehouse.conditions.nodes import Type
from gatehouse.core.lru_cache import LruCache
from gatehouse.decisions.packed_values import SIGNALS, PackedValues, Place
from gatehouse.decisions.record import StageOutline, StagesOutline, Text, read, unreadable
from gatehouse.decisions.signal_layout import LARGEST, Layout, everything, fits
from gatehouse.decisions.stage_signals import StageReader

OPERATIONS: Final = ("pipeline", "rules")
"""Whose records keep signals."""
_NO_MEASURES: Final = (None,) * max(map(len, VELOCITY.values()))
_VELOCITY: Final = "velocity."
_MOST_SHAPES: Final = 1000
AMOUNT: Final = "order.amount"
CURRENCY: Final = "order.currency"

_BOUNDS: Final = Meta(gt=-LARGEST, lt=LARGEST)
_NUMBER = Annotated[float, _BOUNDS]
MEASURE = Annotated[int, _BOUNDS] | _NUMBER
KINDS: Final[dict[Type, Any]] = {
    Type.NUMBER: _NUMBER | None,
    Type.TEXT: str | None,
    Type.BOOLEAN: bool | None,
    Type.WORDS: list[str] | None,
}

ABOUT: Final = ("decided", "currency", "amount")
"""What a rule set decided at the time, and the amount of the order exactly as it was recorded."""

Picked = tuple[Any, ...]
"""The wanted signals of a request itself, then lists of velocity."""
Packed = tuple[int, msgspec.Raw, msgspec.Raw]
"""`PackedValues` of which nothing is decoded yet: version, places, values."""


class _SignalsOutline(StagesOutline, frozen=True):
    """Any record, its signals as they come."""

    kept_signals: dict[str, Any] | PackedValues | None = msgspec.field(default=None, name="signals")

    @property
    def signals(self) -> dict[str, Any] | None:
        """The signals by name, whatever version the record has."""
        kept = self.kept_signals
        return SIGNALS.unpack(kept) if isinstance(kept, PackedValues) else kept


_decode_outline: Final = msgspec.json.Decoder(_SignalsOutline).decode
_decode_places: Final = msgspec.json.Decoder(list[Place]).decode


class SignalRow(msgspec.Struct, omit_defaults=True):
    """One request as an export tells it. Its names in JSON are short: every row repeats them."""

    own: dict[str, Any] = msgspec.field(name="o")
    """The request's own signals by name, without velocity."""
    velocity: list[Sequence[float | None]] = msgspec.field(name="v")
    """The wanted measures, group by group."""
    given: dict[str, Any] = msgspec.field(name="g")
    """What stages gave."""
    decided: str | None = None
    """What was decided there at the time."""
    matches: list[str] = []
    """What matched, as rule set, version and rule."""


class _PackedShape(NamedTuple):
    """How to read packed signals that have the same names in the same order."""

    decode: Callable[[msgspec.Raw], tuple[Any, ...]]
    pick: Callable[[tuple[Any, ...]], Picked]


class RowReader:
    """Reads the chosen signals out of records.

    Records are decoded straight into the types of the wanted signals: a look at each value would
    take several times as long. That look is left for records in which a value has another type.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._stages = StageReader(layout)
        own = {**layout.own, AMOUNT: Type.NUMBER, CURRENCY: Type.TEXT}
        self._own = len(own)
        self._amount, self._currency = (list(own).index(name) for name in (AMOUNT, CURRENCY))
        self._kinds = {name: KINDS[kind] for name, kind in own.items()}
        # Callers may send anything as a custom input, so these are looked at one by one.
        self._kinds |= {name: Any for name in own if name.startswith(CUSTOM)}
        self._custom = [
            (place, kind)
            for place, (name, kind) in enumerate(own.items())
            if name.startswith(CUSTOM)
        ]
        self._kinds |= dict.fromkeys(layout.velocity, list[MEASURE] | None)
        self._choosers = [_chooser(places) for places in layout.velocity.values()]
        self.columns: Final = (*ABOUT, *layout.types)
        """What is told of every request, and the names of the wanted signals."""
        named = self._by_name()
        self._fields: Callable[[Any], Picked] = attrgetter(*named.__struct_fields__)
        signals = ("signals", named | Packed | None, None)
        record = msgspec.defstruct("RecordSignals", [signals], bases=(StagesOutline,), frozen=True)
        self._decode: Callable[[str], Any] = msgspec.json.Decoder(record).decode
        self._shapes: LruCache[bytes, _PackedShape] = LruCache(_MOST_SHAPES)

    def seen(self, text: str, rule_set: str) -> list[Any] | None:
        """What the rule set of this name sees, in the order of `columns`.

        None when the record keeps no signals. Raises `UnreadableRecord`, as `exported` does.
        """
        stages, decided, picked = self._open(text)
        if picked is None:
            return None
        view = self._stages.view(stages, rule_set)
        amount, currency = picked[self._amount], picked[self._currency]
        row = [
            decided if view.status is None else view.status,
            currency if is_currency(currency) else None,
            None if amount is None else repr(amount),
            *picked[: len(self._layout.own)],
        ]
        for measures in self._measures(picked):
            row += measures
        if self._layout.given:
            row += self._stages.signals(stages, view)
        return row

    def exported(self, text: str) -> SignalRow:
        """What an export tells of a record of any operation: everything, as it was in the end."""
        stages, decided, picked = self._open(text)
        matches = [
            f"{one.rule_set}/{one.version}/{name}"
            for one in self._stages.rules_in(stages)
            for name in one.matched
        ]
        view = self._stages.view(stages, None, in_the_end=True)
        if picked is None:
            picked = (None,) * len(self._kinds)
        own = zip(self._layout.own, picked, strict=False)
        given = zip(self._layout.given, self._stages.signals(stages, view), strict=True)
        return SignalRow(_known(own), self._measures(picked), _known(given), decided, matches)

    def _open(self, text: str) -> tuple[Sequence[StageOutline], str | None, Picked | None]:
        """The stages of a record, what was decided, and what is wanted of its signals."""
        try:
            record = self._decode(text)
            signals = record.signals
            if signals is None:
                return record.stages, record.decision, None
            if type(signals) is tuple:
                picked = self._unpacked(signals[1], signals[2])
            else:
                picked = self._fields(signals)
        except msgspec.ValidationError:
            record = read(_decode_outline, text)
            if record.signals is None:
                return record.stages, record.decision, None
            picked = tuple(map(self._layout.pick(record.signals).get, self._kinds))
        except msgspec.DecodeError as error:
            raise unreadable(text, error) from None
        for place, kind in self._custom:
            if not fits(picked[place], kind):
                picked = (*picked[:place], None, *picked[place + 1 :])
        return record.stages, record.decision, picked

    def _unpacked(self, places: msgspec.Raw, values: msgspec.Raw) -> Picked:
        key = bytes(places)
        shape = self._shapes.find(key)
        if shape is None:
            shape = self._shape(_decode_places(key))
            self._shapes.put(key, shape)
        return shape.pick(shape.decode(values))

    def _shape(self, places: Sequence[Place]) -> _PackedShape:
        names = SIGNALS.named(places)
        kinds: Any = tuple(self._kinds.get(name, unwanted(name)) for name in names)
        where = {name: place for place, name in enumerate(names)}
        wanted = [where.get(name, len(names)) for name in self._kinds]
        decode = msgspec.json.Decoder(tuple.__class_getitem__(kinds)).decode
        return _PackedShape(decode, _picker(wanted, len(names)))

    def _by_name(self) -> Any:
        """The signals of a record that holds names."""
        fields = {name: f"s{number}" for number, name in enumerate(self._kinds)}
        return msgspec.defstruct(
            "Signals",
            [(fields[name], kind, None) for name, kind in self._kinds.items()],
            rename={field: name for name, field in fields.items()},
        )

    def _measures(self, picked: Picked) -> list[Sequence[float | None]]:
        """Take the wanted measures out of their lists, of which most are not wanted."""
        lists = picked[self._own :]
        try:
            return [choose(each) for choose, each in zip(self._choosers, lists, strict=True)]
        except (TypeError, IndexError):
            # There is no such list, or one of an older version with fewer measures.
            longer = [(*(each or ()), *_NO_MEASURES) for each in lists]
            return [choose(each) for choose, each in zip(self._choosers, longer, strict=True)]


def row_of(text: Text, rule_set: str | None) -> dict[str, Any]:
    """Every signal that the rule set of this name sees, or saw, of a recorded request.

    Takes the text of a record, or of a decision as the API returns it.
    """
    kept = read(_decode_outline, text)
    own, layout = kept.signals or {}, everything()
    stages = StageReader(layout)
    view = stages.view(kept.stages, rule_set)
    custom = {name: value for name, value in own.items() if name.startswith(CUSTOM)}
    given = zip(layout.given, stages.signals(kept.stages, view), strict=True)
    return custom | layout.flat(own) | _known(given)


def _known(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Those values that are not NULL."""
    return {name: value for name, value in values if value is not None}


def unwanted(name: str) -> Any:
    """The type of what nobody asks for: of lists not even the items are looked at."""
    return msgspec.Raw if name.startswith(_VELOCITY) else Any


def _picker(wanted: Sequence[int], count: int) -> Callable[[tuple[Any, ...]], Picked]:
    """Takes the values at these places; what is behind the last of so many is NULL."""
    pick: Callable[[tuple[Any, ...]], Picked] = itemgetter(*wanted)
    return (lambda values: pick((*values, None))) if count in wanted else pick


def _chooser(places: Sequence[tuple[str, int]]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Takes the measures at these places out of a list."""
    wanted = [place for _, place in places]
    if len(wanted) > 1:
        return itemgetter(*wanted)
    # For a single place, a getter would return the measure itself.
    [place] = wanted
    return lambda measures: (measures[place],)


def is_currency(value: Any) -> bool:
    """Whether it has the form of a currency's code."""
    return type(value) is str and len(value) == 3 and value.isascii() and value.isupper()
