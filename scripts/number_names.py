"""Gives new signals and features their numbers in decision records: a line at the end of a table.

The place of a line is the number, and records hold it. So lines are added, never moved or removed.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from gatehouse import decisions
from gatehouse.decisions.packed_values import FEATURES_FILE, SIGNALS_FILE
from gatehouse.decisions.signal_layout import everything
from gatehouse.sentry.features.catalogue import BY_CODE

FOLDER: Final = Path(decisions.__file__).parent


def known_names() -> dict[str, list[str]]:
    """What is recorded by name, for each table."""
    layout = everything()
    return {FEATURES_FILE: list(BY_CODE), SIGNALS_FILE: [*layout.own, *layout.velocity]}


def with_new_names(table: str, names: Iterable[str]) -> str:
    """The table with the names that it lacks, each in a line at its end."""
    numbered = set(table.split())
    return table + "".join(f"{name}\n" for name in names if name not in numbered)


def number_names(*, check: bool) -> list[Path]:
    """Add new names to the tables, or only look; the tables that lack some."""
    stale = []
    for file, names in known_names().items():
        path = FOLDER / file
        table = path.read_text("utf-8")
        wanted = with_new_names(table, names)
        if wanted != table:
            stale.append(path)
            if not check:
                path.write_text(wanted, "utf-8")
    return stale
