"""Every phrase of the service, for tests that look at all of them."""

import importlib
from functools import cache
from pathlib import Path

from gatehouse.core.wording.sentences import PHRASES, Phrase

_SOURCE = Path(__file__).parent.parent.parent / "src"


@cache
def all_phrases() -> dict[str, Phrase]:
    """Everything that rooms can say; phrases of tests are not in our modules."""
    for file in (_SOURCE / "gatehouse").rglob("*.py"):
        if "gatehouse.core.wording.sentences import" in file.read_text():
            importlib.import_module(".".join(file.relative_to(_SOURCE).with_suffix("").parts))
    return {key: each for key, each in PHRASES.items() if not key.startswith("test.")}
