"""What a rule set sees of many recorded requests, as one list for each signal.

Records of the form that this version writes are decoded into the types of the wanted signals, and
those with the same signals become columns together: to make a row for each takes twice as long.
All others are read by `RowReader`, one by one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.conditions.nodes import Type
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageSpec
from gatehouse.decisions.packed_values import SIGNALS, Place
from gatehouse.decisions.record import UnreadableRecord
from gatehouse.decisions.signal_layout import LARGEST, Layout, fits
from gatehouse.decisions.signal_rows import AMOUNT, CURRENCY, RowReader, is_currency
from gatehouse.decisions.stage_signals import StageReader, StagesView, facts_in, facts_type

_MOST_FORMS: Final = 1000
_MOST_VIEWS: Final = 10_000
_NULL: Final = type(None)
_VELOCITY: Final = "velocity."
_BOUNDS: Final = Meta(gt=-LARGEST, lt=LARGEST)
_NUMBER = Annotated[float, _BOUNDS]
_MEASURE = Annotated[int, _BOUNDS] | _NUMBER
_KINDS: Final[dict[Type, Any]] = {
    Type.NUMBER: _NUMBER | None,
    Type.TEXT: str | None,
    Type.BOOLEAN: bool | None,
    Type.WORDS: list[str] | None,
}
_Packed = tuple[int, msgspec.Raw, msgspec.Raw]
"""`PackedValues` of which nothing is decoded yet: version, places, values."""
_USUAL: Final[dict[Type, set[type]]] = {
    Type.NUMBER: {int, float, _NULL},
    Type.TEXT: {str, _NULL},
    Type.BOOLEAN: {bool, _NULL},
    Type.WORDS: {list, _NULL},
}

Column = Sequence[Any]
Values = tuple[Any, ...]
_Kinds = tuple[type, ...]
_Row = tuple[int, str | None, dict[str, Any], Values]
"""Which text, what was decided, what stages gave, and the signals of the request itself."""
_decode_places: Final = msgspec.json.Decoder(list[Place]).decode


class SeenColumns(msgspec.Struct):
    """What is seen of some records."""

    columns: list[list[Any]]
    which: list[int] = []
    """Of each row, the place of its text among those that were read."""
    unreadable: int = 0

    def add(self, which: Iterable[int], columns: Iterable[Column]) -> None:
        """Some more rows."""
        self.which.extend(which)
        for column, more in zip(self.columns, columns, strict=True):
            column.extend(more)


class _Form(NamedTuple):
    """Packed signals that have the same names in the same order."""

    decode: Callable[[msgspec.Raw], Values]
    where: dict[str, int]
    """The place of each signal, and of each list of velocity."""
    rows: list[_Row]
    """What was read and is not in columns yet."""


class ColumnReader:
    """Reads what the rule set of a name sees of records of pipelines and of rules.

    Or else what was known in the end, of records of any operation.
    """

    def __init__(self, layout: Layout, rule_set: str = "", *, in_the_end: bool = False) -> None:
        self._layout = layout
        self._rule_set = rule_set
        self._in_the_end = in_the_end
        self._rows = RowReader(layout)
        self._stages = StageReader(layout)
        self.columns: Final = self._rows.columns
        """The names of the columns."""
        own = {**layout.own, AMOUNT: Type.NUMBER, CURRENCY: Type.TEXT}
        # Callers may send anything as a custom input, so these are looked at afterwards.
        self._kinds = {
            name: Any if name.startswith(CUSTOM) else _KINDS[kind] for name, kind in own.items()
        }
        self._kinds |= {
            group: _measures_type([place for _, place in places])
            for group, places in layout.velocity.items()
        }
        self._forms: dict[bytes | tuple[str, ...], _Form] = {}
        types = {spec.name: _stage_type(spec, layout) for spec in REGISTRY}
        self._names = {kind: name for name, kind in types.items()}
        self._rules = {types[spec.name] for spec in REGISTRY if spec.runs_rule_set}
        self._ruling: dict[_Kinds, list[int]] = {}
        """Where the stages with rules are."""
        self._views: dict[tuple[_Kinds, tuple[Any, ...]], StagesView] = {}
        self._decode = _record_decoder(types.values())

    def read(self, texts: Iterable[str]) -> SeenColumns:
        """What is seen of these records; those that keep no signals have no row."""
        seen = SeenColumns([[] for _ in self.columns])
        for which, text in enumerate(texts):
            try:
                self._read_usual(which, text)
            except msgspec.DecodeError:
                self._read_other(which, text, seen)
        for form in self._forms.values():
            if form.rows:
                which_rows, decided, given, values = zip(*form.rows, strict=True)
                columns = self._columns(form.where, decided, given, values)
                seen.add(which_rows, columns)
                form.rows.clear()
        # The oldest go first: to note each use would be paid by every record of a large reading.
        while len(self._forms) > _MOST_FORMS:
            del self._forms[next(iter(self._forms))]
        return seen

    def _read_usual(self, which: int, text: str) -> None:
        """Read a record of the usual form; raises `msgspec.DecodeError` for any other."""
        record = self._decode(text)
        signals = record.signals
        if signals is None and not self._in_the_end:
            return
        if type(signals) is tuple:
            key = bytes(signals[1])
            form = self._forms.get(key)
            if form is None:
                form = self._forms[key] = self._form(SIGNALS.named(_decode_places(key)))
            values = form.decode(signals[2])
        else:
            form, values = self._named(signals or {})
        stages = record.stages
        view = self._view(stages)
        given = view.of_rules
        for place, _, signals_of, completed in view.wanted:
            stage = stages[place]
            found = signals_of(facts_in(stage.result))
            found[completed] = stage.completed
            given = {**given, **found} if given else found
        form.rows.append((which, view.status or record.decision, given, values))

    def _named(self, signals: dict[str, msgspec.Raw]) -> tuple[_Form, Values]:
        """Earlier records hold names: their values are read as if they were packed."""
        names = tuple(signals)
        form = self._forms.get(names)
        if form is None:
            form = self._forms[names] = self._form(names)
        return form, form.decode(msgspec.Raw(b"[%b]" % b",".join(map(bytes, signals.values()))))

    def _read_other(self, which: int, text: str, seen: SeenColumns) -> None:
        try:
            row = self._rows.seen(text, self._rule_set, in_the_end=self._in_the_end)
        except UnreadableRecord:
            seen.unreadable += 1
            return
        if row is not None:
            seen.add([which], [[value] for value in row])

    def _view(self, stages: tuple[Any, ...]) -> StagesView:
        """What is seen of the stages, which is mostly the same as in another record."""
        kinds = tuple(map(type, stages))
        ruling = self._ruling.get(kinds)
        if ruling is None:
            ruling = [place for place, kind in enumerate(kinds) if kind in self._rules]
            if len(self._ruling) >= _MOST_FORMS:
                del self._ruling[next(iter(self._ruling))]
            self._ruling[kinds] = ruling
        found = tuple([(bytes(stages[place].result), stages[place].completed) for place in ruling])
        view = self._views.get((kinds, found))
        if view is None:
            if len(self._views) >= _MOST_VIEWS:
                del self._views[next(iter(self._views))]
            names = tuple(self._names[kind] for kind in kinds)
            view = self._views[kinds, found] = self._stages.view_of(
                names, found, self._rule_set, in_the_end=self._in_the_end
            )
        return view

    def _form(self, names: Sequence[str]) -> _Form:
        kinds: Any = tuple(self._kinds.get(name, _unwanted(name)) for name in names)
        decode = msgspec.json.Decoder(tuple.__class_getitem__(kinds)).decode
        return _Form(decode, {name: place for place, name in enumerate(names)}, [])

    def _columns(
        self,
        where: dict[str, int],
        decided: Column,
        given: Sequence[dict[str, Any]],
        values: Sequence[Values],
    ) -> Iterator[Column]:
        """The columns of requests with signals of the same form."""
        by_place, nulls = list(zip(*values, strict=True)), (None,) * len(values)

        def column(name: str) -> Column:
            place = where.get(name)
            return nulls if place is None else by_place[place]

        yield decided
        currencies = column(CURRENCY)
        known = set(filter(is_currency, set(currencies)))
        yield [one if one in known else None for one in currencies]
        yield [None if amount is None else repr(amount) for amount in column(AMOUNT)]
        for name, kind in self._layout.own.items():
            yield _fitting(column(name), kind) if name.startswith(CUSTOM) else column(name)
        for group, places in self._layout.velocity.items():
            for _, place in places:
                yield _measured(column(group), place)
        for name, kind in self._layout.given.items():
            yield _fitting([found.get(name) for found in given], kind)


def _unwanted(name: str) -> Any:
    """The type of what nobody asks for: of lists not even the items are looked at."""
    return msgspec.Raw if name.startswith(_VELOCITY) else Any


def _measured(lists: Column, place: int) -> Column:
    """One measure out of the lists of velocity."""
    measure = attrgetter(f"m{place}")
    try:
        return list(map(measure, lists))
    except AttributeError:
        return [None if each is None else measure(each) for each in lists]


def _fitting(values: Column, kind: Type) -> Column:
    """Values of the type that conditions rely on; NULL for any other."""
    if set(map(type, values)) <= _USUAL[kind]:
        known = [value for value in values if value is not None]
        if kind is Type.NUMBER:
            usual = not known or (min(known) > -LARGEST and max(known) < LARGEST)
        elif kind is Type.WORDS:
            usual = set(map(type, chain.from_iterable(known))) <= {str}
        else:
            usual = True
        if usual:
            return values
    return [value if value is not None and fits(value, kind) else None for value in values]


def _measures_type(places: Sequence[int]) -> Any:
    """A list of velocity, of which these places are wanted; a shorter one is filled with NULL."""
    fields: list[Any] = [
        (f"m{place}", _MEASURE | None if place in places else Any, None)
        for place in range(max(places) + 1)
    ]
    return msgspec.defstruct("Measures", fields, array_like=True, gc=False) | None


def _stage_type(spec: StageSpec, layout: Layout) -> Any:
    """A stage of a record: of its result only what is wanted."""
    fields: list[Any] = [("completed", bool, False)]
    if spec.runs_rule_set:
        fields.insert(0, ("result", msgspec.Raw))
    elif spec.name in layout.stages:
        fields.insert(0, ("result", facts_type(spec)))
    return msgspec.defstruct(spec.name, fields, tag_field="name", tag=spec.name, gc=False)


def _record_decoder(stages: Iterable[Any]) -> Callable[[str], Any]:
    each: Any = None
    for stage in stages:
        each = stage if each is None else each | stage
    fields: list[Any] = [
        ("signals", _Packed | dict[str, msgspec.Raw] | None, None),
        ("stages", tuple[each, ...], ()),
        ("decision", str | None, None),
    ]
    return msgspec.json.Decoder(msgspec.defstruct("UsualRecord", fields)).decode
