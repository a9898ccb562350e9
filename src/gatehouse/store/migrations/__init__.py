"""The migrations, one tree for both databases."""

from pathlib import Path
from typing import Final

_VERSIONS: Final = Path(__file__).parent / "versions"

HEAD: Final = max(file.name.partition("_")[0] for file in _VERSIONS.glob("[0-9]*.py"))
"""The newest revision, by the names of the files; a test compares it with what they declare."""
