"""Which columns the copy has, and the version that a copy must have to be used."""

import hashlib
from typing import Final

from gatehouse.conditions.compile_sql import column_type
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.decisions.signal_layout import Layout, everything

_EDITION: Final = 1
"""To be raised when a column changes its meaning."""

ABOUT: Final = {
    "request_id": "VARCHAR",
    "id_ms": "BIGINT",
    "at_ms": "BIGINT",
    "operation": "VARCHAR",
    "outcome": "VARCHAR",
    "seen": "BOOLEAN",
    "unusual": "BOOLEAN",
    "erased": "BOOLEAN",
    "total_us": "BIGINT",
    "fees": "BIGINT",
    "rule_sets": "VARCHAR[]",
    "matched": "VARCHAR[]",
    "shadow": "VARCHAR[]",
    "custom": "VARCHAR",
    "review": "VARCHAR",
    "fraud": "BOOLEAN",
    "labelled_ms": "BIGINT",
    "decided": "VARCHAR",
    "currency": "VARCHAR",
    "amount": "DECIMAL(24, 6)",
}
"""What is known of every decision besides stages and signals.

`id_ms` is the moment in its id, by which spans are cut. `seen` says that rules can judge it.
`unusual` says that what rules see depends on the rule set, so that the record itself must be read.
Rules that matched, also in `shadow`, are named by rule set, version and rule. `decided`, `currency`
and `amount` are what a backtest counts.
"""


def stage_us(name: str) -> str:
    """The column with the time that a stage took."""
    return f"stage {name} us"


def stage_completed(name: str) -> str:
    """The column that says whether a stage completed."""
    return f"stage {name} completed"


class ColumnLayout:
    """The columns for the stages and signals that this version knows."""

    def __init__(self) -> None:
        self.signals: Final[Layout] = everything()
        layout = self.signals
        measures = [name for places in layout.velocity.values() for name, _ in places]
        signals = {name: column_type(kind) for name, kind in layout.own.items()}
        signals |= dict.fromkeys(measures, "DOUBLE")
        signals |= {name: column_type(kind) for name, kind in layout.given.items()}
        self.stages: Final = [spec.name for spec in REGISTRY]
        stages = {stage_us(name): "BIGINT" for name in self.stages}
        stages |= {stage_completed(name): "BOOLEAN" for name in self.stages}
        self.signal_types: Final = signals
        """The columns of signals, in the order in which records are read."""
        self.types: Final = {**ABOUT, **stages, **signals}
        """All columns with their types."""

    @property
    def version(self) -> str:
        """Changes with every column, and with what they mean."""
        columns = " ".join(f"{name} {kind}," for name, kind in self.types.items())
        return hashlib.sha256(f"{_EDITION} {columns}".encode()).hexdigest()[:32]
