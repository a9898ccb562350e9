"""The texts: every key that is used exists in each language, none is unused, placeholders agree."""

import re
from pathlib import Path

import pytest

from gatehouse.console.translation import LANGUAGES, placeholders, texts, translator

ROOM = Path(__file__).parent.parent.parent / "src" / "gatehouse" / "console"
_QUOTED = re.compile(r"""["']([a-z_-]+(?:\.[A-Za-z0-9_-]+)+\.?|[a-z_-]+\.)(?=["'{])""")
ENGLISH = texts("en")


def _written() -> set[str]:
    """Everything quoted in templates and code that looks like a key, or like the start of one."""
    files = [*ROOM.rglob("*.html"), *ROOM.rglob("*.py")]
    return {key for file in files for key in _QUOTED.findall(file.read_text())}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_languages_have_the_same_texts_with_the_same_placeholders(language: str) -> None:
    theirs = texts(language)
    assert set(theirs) == set(ENGLISH)
    for key, text in ENGLISH.items():
        assert placeholders(text) == placeholders(theirs[key]), key


def test_every_text_that_is_used_exists() -> None:
    subjects = {key.partition(".")[0] for key in ENGLISH}
    ends = (".html", ".css", ".js", ".svg", ".txt", ".py", ".toml")
    for key in _written():
        if key.partition(".")[0] not in subjects or key.endswith(ends):
            continue
        assert any(each == key or each.startswith(key.rstrip(".") + ".") for each in ENGLISH), key


def test_no_text_is_unused() -> None:
    written = _written()
    starts = tuple(key for key in written if key.endswith("."))
    # Texts that all subjects share may come before the first page that uses them.
    unused = {key for key in ENGLISH if key not in written and not key.startswith(starts)}
    assert {key for key in unused if not key.startswith("common.")} == set()


def test_a_text_is_filled_as_its_language_writes_numbers() -> None:
    assert translator("de").text("home.more", count=1234).startswith("Nur die ersten 1.234 ")
    assert translator("fr").text("common.save") == "Save"
