"""The settings of prices."""

from dataclasses import dataclass
from pathlib import Path

from gatehouse.settings.kinds import setting


@dataclass(frozen=True)
class BillingSettings:
    """What an operator can choose about prices."""

    prices_file: Path | None = setting(
        None,
        "Price list by currency and day, as TOML; see docs/billing.md. Read when a server starts: "
        "write prices into it before their day. Unset: the defaults.",
        Path,
        "path",
    )
