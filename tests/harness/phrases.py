"""Every phrase and text of the service, for tests that look at all of them."""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gatehouse.console.words.translation import Forms, places, read_catalogue
from gatehouse.core.wording.sentences import PHRASES, Phrase

_SOURCE = Path(__file__).parent.parent.parent / "src"


@cache
def all_phrases() -> dict[str, Phrase]:
    """Everything that rooms can say; phrases of tests are not in our modules."""
    for file in (_SOURCE / "gatehouse").rglob("*.py"):
        if "gatehouse.core.wording.sentences import" in file.read_text():
            importlib.import_module(".".join(file.relative_to(_SOURCE).with_suffix("").parts))
    return {key: each for key, each in PHRASES.items() if not key.startswith("test.")}


def texts(language: str) -> Mapping[str, Forms]:
    """Every text of the console in a language, by its key."""
    return {key: forms for key, forms in _all(language).items() if not _is_sentence(language, key)}


def sentences(language: str) -> Mapping[str, str]:
    """What other rooms say, by the keys of their phrases; English has none."""
    return {key: text for key, (text, *_) in _all(language).items() if _is_sentence(language, key)}


def _is_sentence(language: str, key: str) -> bool:
    return places(language)[key].parent.name == "sentences"


@cache
def _all(language: str) -> Mapping[str, Forms]:
    files = sorted(set(places(language).values()))
    return {key: forms for file in files for key, forms in read_catalogue(file).items()}
