"""What rules saw, or would have seen, of a request: read back from its decision record.

A rule set sees the signals of the request itself and the results of all stages, because each rule
waits for the stages it speaks of. Records of the first edition, whose rules did not wait, show it
only the stages before its own. So a backtest asks the question of its time again.
"""

from typing import Any, Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.conditions.nodes import Type
from gatehouse.decisions.packed_values import SIGNALS, PackedValues
from gatehouse.decisions.record import StagesOutline, Text, read
from gatehouse.decisions.signal_layout import Layout, everything, fits
from gatehouse.decisions.stage_signals import StageReader

OPERATIONS: Final = ("pipeline", "rules")
"""Whose records keep signals."""
AMOUNT: Final = "order.amount"
CURRENCY: Final = "order.currency"

ABOUT: Final = ("decided", "currency", "amount")
"""What a rule set decided at the time, and the amount of the order exactly as it was recorded."""


class _SignalsOutline(StagesOutline, frozen=True):
    """Any record, its signals as they come."""

    kept_signals: dict[str, Any] | PackedValues | None = msgspec.field(default=None, name="signals")

    @property
    def signals(self) -> dict[str, Any] | None:
        """The signals by name, whatever version the record has."""
        kept = self.kept_signals
        return SIGNALS.unpack(kept) if isinstance(kept, PackedValues) else kept


_decode_outline: Final = msgspec.json.Decoder(_SignalsOutline).decode


class RowReader:
    """Reads the chosen signals out of any record, and looks at each value.

    `ColumnReader` reads records of the usual form in a tenth of the time, and leaves the others.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._stages = StageReader(layout)
        self.columns: Final = (*ABOUT, *layout.types)
        """What is told of every request, and the names of the wanted signals."""

    def seen(
        self, text: Text, rule_set: str | None, *, in_the_end: bool = False
    ) -> list[Any] | None:
        """What the rule set of this name sees, or what was known in the end, as `columns`.

        None when the record keeps no signals for rules. Raises `UnreadableRecord`.
        """
        kept = read(_decode_outline, text)
        own = kept.signals
        if own is None and not in_the_end:
            return None
        own = own or {}
        view = self._stages.view(kept.stages, rule_set, in_the_end=in_the_end)
        amount, currency = own.get(AMOUNT), own.get(CURRENCY)
        flat = self._layout.flat(own)
        return [
            kept.decision if view.status is None else view.status,
            currency if is_currency(currency) else None,
            repr(amount) if fits(amount, Type.NUMBER) else None,
            *(flat.get(name) for name in self._layout.types if name not in self._layout.given),
            *self._stages.signals(kept.stages, view),
        ]


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
    known = {name: value for name, value in given if value is not None}
    return custom | layout.flat(own) | known


def is_currency(value: Any) -> bool:
    """Whether it has the form of a currency's code."""
    return type(value) is str and len(value) == 3 and value.isascii() and value.isupper()
