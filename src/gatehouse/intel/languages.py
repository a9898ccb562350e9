"""Reads Accept-Language headers, and says how well languages fit a country."""

import re
from typing import Final

import msgspec

from gatehouse.core.limits.short_cache import cache_short
from gatehouse.intel.places import country_code, is_spoken, languages_of, main_language

MAX_CHARACTERS: Final = 2048
MAX_TAGS: Final = 20
_MAX_ELEMENT: Final = 80

ENGLISH: Final = "en"
_INTERNATIONAL: Final = frozenset({ENGLISH, "eo"})
"""Languages that people of all countries set, so they are no evidence by themselves."""

# One element of the list: a language tag or *, then its weight. Android apps write their locale
# with underscores (zh_CN_#Hans), which is as clear. No two neighbouring parts can take the same
# sign, so the pattern is linear.
_ELEMENT: Final = re.compile(
    r"[ \t]*(?:\*|([a-z]{2,3})((?:[-_]#?[a-z0-9]{1,8})*))"
    r"[ \t]*(?:;[ \t]*q[ \t]*=[ \t]*(-?[0-9]{1,3}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})[ \t]*)?",
    re.IGNORECASE | re.ASCII,
)


class Languages(msgspec.Struct, frozen=True, gc=False):
    """The languages of an Accept-Language header."""

    tags: tuple[tuple[str, str | None, float], ...]
    """Language, region and weight above 0 and up to 1, the heaviest first."""
    is_valid: bool
    """Whether there is a language, and every element is one that browsers send."""


def read_languages(header: str) -> Languages:
    """The languages in an Accept-Language header, as far as they can be read."""
    return _read(header if len(header) <= MAX_CHARACTERS else header[:MAX_CHARACTERS])


@cache_short(2048)
def _read(text: str) -> Languages:
    elements = text.split(",", MAX_TAGS)
    # What is beyond the limits is ignored, and so is a tag that was cut through the middle.
    if len(elements) > MAX_TAGS or (len(text) == MAX_CHARACTERS and len(elements) > 1):
        elements.pop()
    tags: list[tuple[str, str | None, float]] = []
    is_valid = True
    for element in elements:
        found = _ELEMENT.fullmatch(element) if len(element) <= _MAX_ELEMENT else None
        if found is None:
            # Empty elements mean nothing and are allowed (RFC 9110, 5.6.1).
            is_valid = is_valid and not element.strip(" \t")
            continue
        language, rest, quality = found.groups()
        weight = 1.0 if quality is None else min(1.0, float(quality))
        if language is not None and weight > 0:
            tags.append((language.lower(), _region(rest) if rest else None, weight))
    tags.sort(key=lambda tag: -tag[2])
    return Languages(tuple(tags), is_valid and bool(tags))


def _region(rest: str) -> str | None:
    for part in rest[1:].replace("_", "-").split("-"):
        if len(part) == 2 and part.isalpha():
            return country_code(part)
        if len(part) == 3 and part.isdigit():
            return part
        # After a single letter come extensions, whose parts mean something else.
        if len(part) == 1:
            return None
    return None


def fit(languages: Languages, country: str) -> float | None:
    """How well these languages fit a country, from 0 to 1.

    1 when one of the languages is the country's own variety, as de-AT is Austria's; else the
    largest share of the country's people who speak one of them, times the language's weight.

    English counts only when it leads: browsers of all countries put it behind their own language.
    Even then it says nothing by itself, because people of all countries set it. None when nothing
    can be said; a language that no country is known for (Klingon, Esperanto) says nothing either.
    """
    code = country_code(country)
    shares = languages_of(code)
    if not shares:
        return None
    best = 0.0
    speaks = False
    for place, (language, region, weight) in enumerate(languages.tags):
        main = main_language(language)
        if main == ENGLISH and place:
            continue
        if region == code:
            return 1.0
        share = shares.get(main)
        if main not in _INTERNATIONAL and (share is not None or is_spoken(main)):
            speaks = True
        if share is not None and weight * share > best:
            best = weight * share
    return best if speaks else None
