"""What pages say in each language, read from gettext catalogues.

The shell has catalogues in `texts/`, and so has each subject. The context of a message is its key,
such as `decisions.title`, and its id the English text: `messages.pot` holds them, `de.po` has them
in German. Sentences that other rooms make in English are in `sentences/de.po` by their own keys.
"""

import re
from collections.abc import Mapping
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError, negotiate_locale
from babel.messages.catalog import Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from gatehouse.core.subject import folders
from gatehouse.core.wording.sentences import Sentence

_OURS: Final = Path(__file__).parent.parent / "texts"
LANGUAGES: Final = ("en", *sorted(file.stem for file in _OURS.glob("*.po")))
"""The first is what is shown to people whose language is none of these."""
_CONTEXT: Final = re.compile(r'^msgctxt "(.+)"$', re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"\{([a-z_][a-z0-9_]*)\}")

Forms = tuple[str, ...]
"""A text, or its plural forms in the order of gettext."""


class Translator:
    """Says things in one language, with numbers as its speakers write them."""

    def __init__(self, locale: str) -> None:
        self.locale: Final = read_locale(locale)
        self.language: Final = self.locale.language
        self._plural = c2py(get_plural(self.language).plural_expr)
        self._places = places(self.language)

    def __contains__(self, key: str) -> bool:
        """Whether there is a text of that key."""
        return key in self._places

    def text(self, key: str, /, **values: object) -> str:
        """The text of a key, with its placeholders filled."""
        forms = self._forms(key)
        text = forms[0] if len(forms) == 1 else forms[self._plural(_counted(values))]
        return _PLACEHOLDER.sub(lambda match: self._shown(values[match[1]]), text)

    def said(self, text: str) -> str:
        """What another room says: in this language if it has the sentence, as it is if not."""
        if not isinstance(text, Sentence) or text.key not in self:
            return str(text)
        said = self._filled(text)
        return said[:1].upper() + said[1:] if self._begins_with_words(text) else said

    def _begins_with_words(self, text: object) -> bool:
        """Whether a sentence begins with words of ours; a name stays as it is written."""
        if not isinstance(text, Sentence):
            return False
        gap = _PLACEHOLDER.match(self._forms(text.key)[0]) if text.key in self else None
        return gap is None or self._begins_with_words(text.values.get(gap[1]))

    def _filled(self, sentence: Sentence) -> str:
        forms = self._forms(sentence.key) if sentence.key in self else ()
        # What was stored by another version may lack something.
        if not forms or not placeholders(forms) <= set(sentence.values):
            return str(sentence)
        return _PLACEHOLDER.sub(lambda match: self._shown(sentence.values[match[1]]), forms[0])

    def _forms(self, key: str) -> Forms:
        return read_catalogue(self._places[key])[key]

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
def places(language: str) -> Mapping[str, Path]:
    """The catalogue of each key; it is read when something of it is said, as reading takes time."""
    name = "messages.pot" if language == LANGUAGES[0] else f"{language}.po"
    files = [file for folder in (_OURS, *folders("texts")) for file in sorted(folder.rglob(name))]
    return {key: file for file in files for key in _CONTEXT.findall(file.read_text("utf-8"))}


@cache
def read_catalogue(file: Path) -> Mapping[str, Forms]:
    """The texts of a catalogue by their keys; what is not translated is in English."""
    with file.open("rb") as opened:
        messages = read_po(opened, abort_invalid=True)
    return {each.context: _said(each) for each in messages if each.context}


def _said(message: Message) -> Forms:
    translated = message.string or ""
    said = translated if any(translated) else message.id
    return (said,) if isinstance(said, str) else tuple(said)


def placeholders(forms: Forms) -> set[str]:
    """The names that a text wants to be filled with."""
    return {name for form in forms for name in _PLACEHOLDER.findall(form)}


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
