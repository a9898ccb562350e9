"""Which columns the files of an archive have, and the version that a file must have to be read."""

import hashlib
from typing import Final

from gatehouse.columns.layout import ColumnLayout
from gatehouse.sentry.features.catalogue import BY_CODE

_EDITION: Final = 1
"""To be raised when a column changes its meaning."""

FEATURE: Final = "feature."
"""What the columns of Sentry's features begin with."""

ABOUT: Final = {
    "request_id": "VARCHAR",
    "id_ms": "BIGINT",
    "at_ms": "BIGINT",
    "operation": "VARCHAR",
    "seen_by": "VARCHAR",
    "seen_otherwise_by": "VARCHAR[]",
    "judged": "BOOLEAN",
    "measured": "BOOLEAN",
    "erased": "BOOLEAN",
    "outcome": "VARCHAR",
    "fees_micros": "BIGINT",
    "duration_us": "BIGINT",
    "stages": "STRUCT(name VARCHAR, completed BOOLEAN, duration_us BIGINT)[]",
    "rule_sets": "VARCHAR[]",
    "matched": "VARCHAR[]",
    "shadow": "VARCHAR[]",
    "custom_numbers": "MAP(VARCHAR, DOUBLE)",
    "custom_texts": "MAP(VARCHAR, VARCHAR)",
    "custom_flags": "MAP(VARCHAR, BOOLEAN)",
    "event_s": "DOUBLE",
    "event_amount": "DOUBLE",
    "event_currency": "VARCHAR",
    "event_counted": "BOOLEAN",
    "event_declined": "BOOLEAN",
    "model": "VARCHAR",
    "decided": "VARCHAR",
    "currency": "VARCHAR",
    "amount": "DECIMAL(24, 6)",
}
"""What is known of every decision besides signals and features.

`id_ms` is the moment in its id, by which days and spans are cut. `judged` says that rules can judge
it, and `measured` that Sentry measured it; NULL where the record cannot be read. Where several
stages ran rules, what a rule set sees depends on its name: the sets in `seen_otherwise_by` have a
row of their own, with their name in `seen_by`, which is no further decision. `decided`, `currency`
and `amount` are what a backtest counts.
"""

LABELS: Final = {
    "request_id": "VARCHAR",
    "label": "VARCHAR",
    "fraud": "BOOLEAN",
    "known_ms": "BIGINT",
    "recorded_ms": "BIGINT",
}
"""What became of a request: the newest label, whether it says fraud, since when that is known, and
when the label was recorded. `fraud` is NULL when the label was withdrawn."""


class ArchiveLayout:
    """The columns for the signals and features that this version knows."""

    def __init__(self) -> None:
        self.copied: Final = ColumnLayout()
        """The columns of the console's copy, which are made in the same way."""
        signals = self.copied.signal_types
        features = {FEATURE + code: "DOUBLE" for code in BY_CODE}
        self.types: Final = {**ABOUT, **signals, **features}
        """All columns of decisions with their types."""

    @property
    def version(self) -> str:
        """Changes with every column, and with what they mean."""
        every = {**self.types, **{f"label {name}": kind for name, kind in LABELS.items()}}
        columns = " ".join(f"{name} {kind}," for name, kind in every.items())
        return hashlib.sha256(f"{_EDITION} {columns}".encode()).hexdigest()[:32]
