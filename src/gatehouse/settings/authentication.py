"""The setting of strong customer authentication."""

from dataclasses import dataclass
from pathlib import Path

from gatehouse.settings.kinds import setting


@dataclass(frozen=True)
class ScaSettings:
    """What an operator can choose about advice on authentication."""

    authentication_file: Path | None = setting(
        None,
        "Table of the limits of strong customer authentication and of the rates of currencies, in "
        "place of the one that ships; see docs/authentication.md. Read when a server starts.",
        Path,
        "path",
    )
