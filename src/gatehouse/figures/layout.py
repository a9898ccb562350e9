"""Which columns are made of decisions: once for the console's copy and for the archive.

The copy has more of some things, because it is asked for them, and the archive of others. A
version stands for the columns that one of them has, and must be the same to be read.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.conditions.compile_sql import column_type
from gatehouse.conditions.nodes import Type
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.signal_layout import Layout, everything
from gatehouse.figures.workspace import quoted, text
from gatehouse.sentry.features.catalogue import BY_CODE

_COPY_EDITION: Final = 2
_ARCHIVE_EDITION: Final = 1
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
row of their own, with their name in `seen_by`, which is no further decision. Rules that matched,
also in `shadow`, are named by rule set, version and rule. `decided`, `currency` and `amount` are
what a backtest counts.
"""

_ARCHIVED_ONLY: Final = ("measured", "stages", "model", *(n for n in ABOUT if n[:6] == "event_"))
"""What training needs, and what the copy has as columns of each stage."""
LAST_FOUR: Final = "last_four"
TRIED_BIN: Final = "tried_bin"
TRIED_CARD: Final = "tried_card"
"""The card of a request that has no signals, such as one to PreCheck alone."""
_COPIED_ONLY: Final = {
    **{"review": "VARCHAR", "fraud": "BOOLEAN", "labelled_ms": "BIGINT"},
    **{LAST_FOUR: "VARCHAR", TRIED_BIN: "VARCHAR", TRIED_CARD: "VARCHAR"},
}
"""What became of a decision since, which the archive keeps in files of their own, cards that are
counted, and what people look for.
"""

CUSTOM_MAPS: Final = {
    Type.NUMBER: "custom_numbers",
    Type.TEXT: "custom_texts",
    Type.BOOLEAN: "custom_flags",
}
"""The columns with custom inputs, by type; what has none of these types is NULL to every rule."""

_JUDGED: Final = ("request_id", "at_ms", "fraud", "decided", "currency", "amount")

LABELS: Final = {
    "request_id": "VARCHAR",
    "label": "VARCHAR",
    "fraud": "BOOLEAN",
    "known_ms": "BIGINT",
    "recorded_ms": "BIGINT",
}
"""What became of a request, in the archive: the newest label, whether it says fraud, since when
that is known, and when the label was recorded. `fraud` is NULL when the label was withdrawn, and
when it says nothing of fraud, as abuse does."""


def signal_value(name: str, kind: Type) -> str:
    """The column of a signal; a custom input is looked up among those of its type."""
    if not name.startswith(CUSTOM):
        return f"d.{quoted(name)}"
    return f"d.{CUSTOM_MAPS[kind]}[{text(name)}]"


def stage_us(name: str) -> str:
    """The column with the time that a stage took."""
    return f"stage {name} us"


def stage_completed(name: str) -> str:
    """The column that says whether a stage completed."""
    return f"stage {name} completed"


def judged_types(signals: Layout) -> dict[str, str]:
    """The columns that a rule set judges, with some signals, each in a column of its name."""
    about = ABOUT | _COPIED_ONLY
    return {name: about[name] for name in _JUDGED} | _signal_types(signals)


def _signal_types(signals: Layout) -> dict[str, str]:
    return {name: column_type(kind) for name, kind in signals.types.items()}


class ColumnLayout:
    """The columns for the stages, signals and features that this version knows."""

    def __init__(self) -> None:
        self.signals: Final = everything()
        signals = _signal_types(self.signals)
        self.signal_types: Final = signals
        """The columns of signals, in the order in which records are read."""
        self.stages: Final = [spec.name for spec in REGISTRY]
        stages = {stage_us(name): "BIGINT" for name in self.stages}
        stages |= {stage_completed(name): "BOOLEAN" for name in self.stages}
        both = {name: kind for name, kind in ABOUT.items() if name not in _ARCHIVED_ONLY}
        self.copied: Final = {**both, **_COPIED_ONLY, **stages, **signals}
        """The columns of the copy with their types."""
        features = {FEATURE + code: "DOUBLE" for code in BY_CODE}
        self.archived: Final = {**ABOUT, **signals, **features}
        """The columns of the archive's decisions with their types."""

    @property
    def copy_version(self) -> str:
        """Changes with every column of the copy, and with what they mean."""
        return _version(_COPY_EDITION, self.copied)

    @property
    def archive_version(self) -> str:
        """Changes with every column of the archive, and with what they mean."""
        labels = {f"label {name}": kind for name, kind in LABELS.items()}
        return _version(_ARCHIVE_EDITION, {**self.archived, **labels})


def _version(edition: int, types: Mapping[str, str]) -> str:
    columns = " ".join(f"{name} {kind}," for name, kind in types.items())
    return hashlib.sha256(f"{edition} {columns}".encode()).hexdigest()[:32]
