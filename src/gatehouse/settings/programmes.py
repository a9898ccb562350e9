"""The settings of the networks' programmes."""

from dataclasses import dataclass
from pathlib import Path

from gatehouse.settings.kinds import setting


@dataclass(frozen=True)
class ProgrammeSettings:
    """What an operator can choose about the networks' programmes."""

    programmes_file: Path | None = setting(
        None,
        "Table of the networks' thresholds in place of the one that ships, as TOML; see "
        "docs/programmes.md. A changed file is used at once. Unset: the one that ships.",
        Path,
        "path",
    )
