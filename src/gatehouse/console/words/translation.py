"""The texts of the console in each language, read from `texts/<language>/<subject>.toml`.

A key is the name of its file and its place in it: `decisions.title`. A text with plural forms is a
table of `one`, `other` and so on, chosen by `count`. Sentences that other rooms make in English are
in `texts/<language>/sentences/` by their own keys.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel import Locale, UnknownLocaleError, negotiate_locale
from babel.numbers import format_decimal

from gatehouse.core.wording.sentences import Sentence

LANGUAGES: Final = ("en", "de")
"""The first is what is shown to people whose language is none of these."""
_FOLDER: Final = Path(__file__).parent.parent / "texts"
_PLURALS: Final = frozenset({"zero", "one", "two", "few", "many", "other"})
_PLACEHOLDER: Final = re.compile(r"\{([a-z_][a-z0-9_]*)\}")

Text = str | Mapping[str, str]
"""A text, or its plural forms."""


class Translator:
    """Says things in one language, with numbers as its speakers write them."""

    def __init__(self, locale: str) -> None:
        self.locale: Final = read_locale(locale)
        self.language: Final = self.locale.language
        self._texts = texts(self.language)
        self._sentences = sentences(self.language)

    def text(self, key: str, /, **values: object) -> str:
        """The text of a key, with its placeholders filled."""
        found = self._texts[key]
        if not isinstance(found, str):
            form = str(self.locale.plural_form(_counted(values)))
            found = found.get(form, found["other"])
        return _PLACEHOLDER.sub(lambda match: self._shown(values[match[1]]), found)

    def said(self, text: str) -> str:
        """What another room says: in this language if it has the sentence, as it is if not."""
        if not isinstance(text, Sentence) or text.key not in self._sentences:
            return str(text)
        said = self._filled(text)
        return said[:1].upper() + said[1:] if self._begins_with_words(text) else said

    def _begins_with_words(self, text: object) -> bool:
        """Whether a sentence begins with words of ours; a name stays as it is written."""
        if not isinstance(text, Sentence):
            return False
        gap = _PLACEHOLDER.match(self._sentences.get(text.key, ""))
        return gap is None or self._begins_with_words(text.values.get(gap[1]))

    def _filled(self, sentence: Sentence) -> str:
        found = self._sentences.get(sentence.key)
        # What was stored by another version may lack something.
        if found is None or not placeholders(found) <= set(sentence.values):
            return str(sentence)
        return _PLACEHOLDER.sub(lambda match: self._shown(sentence.values[match[1]]), found)

    def _shown(self, value: object) -> str:
        if isinstance(value, Sentence):
            return self._filled(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(format_decimal(value, locale=self.locale, decimal_quantization=False))
        return str(value)


def _counted(values: Mapping[str, object]) -> int:
    count = values["count"]
    assert isinstance(count, int), "a text with plural forms wants a count"
    return count


@cache
def translator(locale: str) -> Translator:
    """The one translator of a locale."""
    return Translator(locale)


@cache
def texts(language: str) -> Mapping[str, Text]:
    """Every text of a language by its key."""
    return _read(_FOLDER / language)


@cache
def sentences(language: str) -> Mapping[str, str]:
    """The sentences of other rooms by their keys; English needs none."""
    found = _read(_FOLDER / language / "sentences")
    return {key: text for key, text in found.items() if isinstance(text, str)}


def placeholders(text: Text) -> set[str]:
    """The names that a text wants to be filled with."""
    parts = [text] if isinstance(text, str) else text.values()
    return {name for part in parts for name in _PLACEHOLDER.findall(part)}


def read_locale(named: str) -> Locale:
    """The locale of a person, or the one that comes first if it is none of ours."""
    try:
        locale = Locale.parse(named.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        return Locale.parse(LANGUAGES[0])
    return locale if locale.language in LANGUAGES else Locale.parse(LANGUAGES[0])


def accepted_locale(header: str) -> str:
    """The language of ours that a browser likes best, by its `Accept-Language`."""
    named = [part.partition(";")[0].strip() for part in header[:200].split(",")]
    return negotiate_locale([each for each in named if each], LANGUAGES, sep="-") or LANGUAGES[0]


def _read(folder: Path) -> dict[str, Text]:
    return {
        key: text
        for file in sorted(folder.glob("*.toml"))
        for key, text in _flat(file.stem, tomllib.loads(file.read_text(encoding="utf-8")))
    }


def _flat(place: str, found: Mapping[str, Any]) -> Iterator[tuple[str, Text]]:
    for name, value in found.items():
        key = f"{place}.{name}"
        if isinstance(value, str) or ("other" in value and set(value) <= _PLURALS):
            yield key, value
        else:
            yield from _flat(key, value)
