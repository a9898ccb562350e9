"""What rules saw, or would have seen, of a request: read back from its decision record.

A rule set sees the signals of the request itself and the results of all stages, because each rule
waits for the stages it speaks of. Records of the first edition, whose rules did not wait, show it
only the stages before its own. So a backtest asks the question of its time again.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.conditions.catalogue import CUSTOM, VELOCITY
from gatehouse.conditions.nodes import Type
from gatehouse.core.outcomes import Outcome, strongest
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.decisions.packed_values import SIGNALS, PackedValues
from gatehouse.decisions.record import StageOutline, StagesOutline, Text, read, unreadable
from gatehouse.decisions.signal_layout import (
    LARGEST,
    Layout,
    everything,
    fits,
    rules_signals,
    runs_rules,
)

_OPERATIONS: Final = ("pipeline", "rules")
"""Whose records keep signals."""
_NO_MEASURES: Final = (None,) * max(map(len, VELOCITY.values()))
_AMOUNT: Final = "order.amount"
_CURRENCY: Final = "order.currency"

_BOUNDS: Final = Meta(gt=-LARGEST, lt=LARGEST)
_NUMBER = Annotated[float, _BOUNDS]
_MEASURE = Annotated[int, _BOUNDS] | _NUMBER
_KINDS: Final[dict[Type, Any]] = {
    Type.NUMBER: _NUMBER | None,
    Type.TEXT: str | None,
    Type.BOOLEAN: bool | None,
    Type.WORDS: list[str] | None,
}


class _SignalsOutline(StagesOutline, frozen=True):
    """Any record, its signals as they come."""

    kept_signals: dict[str, Any] | PackedValues | None = msgspec.field(default=None, name="signals")

    @property
    def signals(self) -> dict[str, Any] | None:
        """The signals by name, whatever version the record has."""
        kept = self.kept_signals
        return SIGNALS.unpack(kept) if isinstance(kept, PackedValues) else kept


class _RulesResult(msgspec.Struct, frozen=True, rename="camel"):
    """The part of a Rules stage's result that matters here."""

    rule_set: str | None = None
    version: int | None = None
    status: Outcome | None = None
    matched: tuple[str, ...] = ()
    matched_late: tuple[str, ...] | None = None
    """None when rules did not wait for later stages."""


_decode_outline: Final = msgspec.json.Decoder(_SignalsOutline).decode
_decode_rules: Final = msgspec.json.Decoder(_RulesResult).decode
_decode_facts: Final = msgspec.json.Decoder(dict[str, Any]).decode


class SignalRow(msgspec.Struct, omit_defaults=True):
    """One request as a rule set sees it. Its names in JSON are short: every row repeats them."""

    own: Any = msgspec.field(name="o")
    """The request's own signals by name, without velocity."""
    velocity: list[Sequence[float | None] | None] = msgspec.field(name="v")
    """The wanted measures, group by group."""
    given: dict[str, Any] = msgspec.field(name="g")
    """What stages gave."""
    decided: str | None = msgspec.field(default=None, name="d")
    """What was decided there at the time."""
    amount: str | None = msgspec.field(default=None, name="a")
    """The amount of the order, exactly as it was recorded."""
    currency: str | None = msgspec.field(default=None, name="c")
    matches: list[str] = []
    """For exports: what matched, as rule set, version and rule."""
    request_id: str = msgspec.field(default="", name="i")
    """This and what follows are set by a backtest."""
    fraud: bool | None = msgspec.field(default=None, name="f")
    listed: list[bool | None] = msgspec.field(default=[], name="l")


class RowReader:
    """Reads the chosen signals out of records.

    Records are decoded straight into a struct of the wanted signals and their types: 4.1 µs each
    for 50 rules, where a look at each value takes 31 µs. That look is left for records in which a
    value has another type.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        own = {**layout.own, _AMOUNT: Type.NUMBER, _CURRENCY: Type.TEXT}
        kinds = {name: _KINDS[kind] for name, kind in own.items()}
        # Callers may send anything as a custom input, so these are looked at one by one.
        kinds |= {name: Any for name in own if name.startswith(CUSTOM)}
        kinds |= dict.fromkeys(layout.velocity, list[_MEASURE] | None)
        self._field = {name: f"s{number}" for number, name in enumerate(kinds)}
        self._custom = [
            (self._field[name], kind) for name, kind in own.items() if name.startswith(CUSTOM)
        ]
        self._velocity = [
            (self._field[group], _chooser(places)) for group, places in layout.velocity.items()
        ]
        self._signals = msgspec.defstruct(
            "Signals",
            [(self._field[name], kind, None) for name, kind in kinds.items()],
            rename={field: name for name, field in self._field.items()},
            omit_defaults=True,
        )
        signals = ("signals", self._signals | None, None)
        self._record = msgspec.defstruct(
            "RecordSignals", [signals], bases=(StagesOutline,), frozen=True
        )
        self._decode: Callable[[str], Any] = msgspec.json.Decoder(self._record).decode

    def seen(self, operation: str, text: str, rule_set: str) -> SignalRow | None:
        """What the rule set of this name sees; None when the record keeps no signals.

        Raises `UnreadableRecord`, as `exported` does.
        """
        if operation not in _OPERATIONS:
            return None
        record = self._open(text)
        own = record.signals
        if own is None:
            return None
        ruled = _rules_in(record.stages)
        place = _where(ruled, rule_set)
        status = None if place is None else ruled[place].status
        amount, currency = self.value(own, _AMOUNT), self.value(own, _CURRENCY)
        return SignalRow(
            own,
            self._measures(own),
            _given(self._layout, record.stages, ruled, place) if self._layout.stages else {},
            record.decision if status is None else status.value,
            None if amount is None else repr(amount),
            currency if _is_currency(currency) else None,
        )

    def exported(self, text: str) -> SignalRow:
        """What an export tells of a record of any operation: everything, as it was in the end."""
        record = self._open(text)
        ruled = _rules_in(record.stages)
        matches = [
            f"{one.rule_set}/{one.version}/{name}" for one in ruled.values() for name in one.matched
        ]
        given = _given(self._layout, record.stages, ruled)
        own = self._signals() if record.signals is None else record.signals
        return SignalRow(own, self._measures(own), given, record.decision, matches=matches)

    def _open(self, text: str) -> Any:
        try:
            record = self._decode(text)
        except msgspec.ValidationError:
            kept = read(_decode_outline, text)
            signals = kept.signals
            if signals is None:
                return kept
            picked = self._layout.pick(signals)
            fields = {self._field[name]: value for name, value in picked.items()}
            return self._record(kept.stages, kept.decision, self._signals(**fields))
        except msgspec.DecodeError as error:
            raise unreadable(text, error) from None
        if self._custom and record.signals is not None:
            for field, kind in self._custom:
                if not fits(getattr(record.signals, field), kind):
                    setattr(record.signals, field, None)
        return record

    def _measures(self, own: Any) -> list[Sequence[float | None] | None]:
        """Take the wanted measures out of the signals, of which most are not wanted."""
        taken: list[Sequence[float | None] | None] = []
        for field, choose in self._velocity:
            measures = getattr(own, field)
            if measures is None:
                taken.append(None)
                continue
            setattr(own, field, None)
            try:
                taken.append(choose(measures))
            except IndexError:
                # A record of an older version has fewer of them; those that came since are NULL.
                taken.append(choose([*measures, *_NO_MEASURES]))
        return taken

    def value(self, own: Any, name: str) -> Any:
        """One of the request's own signals."""
        return getattr(own, self._field[name])


def _chooser(places: Sequence[tuple[str, int]]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Takes the measures at these places out of a list."""
    first, *others = [place for _, place in places]
    # With a single place it would not be a tuple that comes out.
    return itemgetter(first, *(others or [first]))


def row_of(text: Text, rule_set: str | None) -> dict[str, Any]:
    """Every signal that the rule set of this name sees, or saw, of a recorded request.

    Takes the text of a record, or of a decision as the API returns it.
    """
    kept = read(_decode_outline, text)
    own = kept.signals or {}
    ruled = _rules_in(kept.stages)
    place = _where(ruled, rule_set)
    custom = {name: value for name, value in own.items() if name.startswith(CUSTOM)}
    layout = everything()
    return custom | layout.flat(own) | _given(layout, kept.stages, ruled, place)


def _rules_in(stages: Sequence[StageOutline]) -> dict[int, _RulesResult]:
    """What the Rules stages found, by their places."""
    return {place: _ruled(stage) for place, stage in enumerate(stages) if runs_rules(stage.name)}


def _ruled(stage: StageOutline) -> _RulesResult:
    try:
        return _decode_rules(stage.result)
    except msgspec.ValidationError:
        return _RulesResult()


def _where(ruled: Mapping[int, _RulesResult], rule_set: str | None) -> int | None:
    """The place of the stage at which the rule set ran, or else of the last one with rules."""
    last = None
    for place, one in ruled.items():
        if rule_set is not None and one.rule_set == rule_set:
            return place
        last = place
    return last


def _given(
    layout: Layout,
    stages: Sequence[StageOutline],
    ruled: Mapping[int, _RulesResult],
    own_place: int | None = None,
) -> dict[str, Any]:
    """What the stages told the rules at this place, or all of them told, as far as it is wanted."""
    signals: dict[str, Any] = {}
    before: list[tuple[_RulesResult, bool]] = []
    waited = own_place is not None and ruled[own_place].matched_late is not None
    for place, stage in enumerate(stages):
        earlier = own_place is None or place < own_place
        if stage.name not in layout.stages or not (earlier or waited):
            continue
        if runs_rules(stage.name):
            if earlier:
                before.append((ruled[place], stage.completed))
        else:
            facts = read(_decode_facts, stage.result)
            signals.update(REGISTRY.signals_of(stage.name, facts, completed=stage.completed))
    if before:
        status = strongest(one.status for one, _ in before if one.status is not None)
        matched = [name for one, _ in before for name in one.matched]
        signals.update(rules_signals(status, matched, all(done for _, done in before)))
    return {
        name: value
        for name, kind in layout.given.items()
        if (value := signals.get(name)) is not None and fits(value, kind)
    }


def _is_currency(value: Any) -> bool:
    return type(value) is str and len(value) == 3 and value.isascii() and value.isupper()
