"""Splits a name into the words that are compared: folded, without titles, particles marked."""

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib import resources
from typing import Final

from anyascii import anyascii

from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.idverify.names.scripts import (
    ARABIC,
    CYRILLIC,
    GREEK,
    HAN,
    KANA,
    LATIN,
    OTHER,
    fold_arabic,
    fold_latin,
    script_of,
    without_accents,
)

MOST_LETTERS: Final = 256
"""Only this much of a name is compared, which bounds the time."""
MOST_WORDS: Final = 12
_REMEMBERED: Final = 8192
"""Words that are remembered as they were folded, for names repeat; tokens never change."""
_NAMES_REMEMBERED: Final = 2048
"""A name is compared with several others, one after the other."""

_WORDS: Final = tomllib.loads(
    (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
)
TITLES: Final = frozenset(_WORDS["titles"].split() + _WORDS["native"]["titles"].split())
OFFICES: Final = frozenset(_WORDS["offices"].split())
_NO_NAMES: Final = TITLES | OFFICES
SUFFIXES: Final = frozenset(_WORDS["suffixes"].split())
PARTICLES: Final = frozenset(_WORDS["particles"].split() + _WORDS["native"]["particles"].split())
SAME_PARTICLES: Final[dict[str, str]] = _WORDS["same_particles"]

KOREAN_FAMILIES: Final[dict[str, frozenset[str]]] = {
    family: frozenset(spellings.split()) for family, spellings in _WORDS["korean_families"].items()
}

_APOSTROPHES: Final = str.maketrans("", "", "'’‘ʼʻ`´ʹʺ‛′ʾʿ׳״")
_BETWEEN: Final = re.compile(r"[\s\-‐‑‒–—―־_/.,;:·・•=+()\[\]{}\"“”„«»|~*<>&!?@#$%^\\]+")
_GERMANIC: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "œ": "oe", "ő": "oe"}
)

# Arabic compounds written as one word or two: servant of ..., ... of the faith, ... of God.
_SERVANT: Final = re.compile("abd(?:[aeou]+[lrnsz]?|ool)?")
_SERVANT_JOINED: Final = re.compile("abd[aeou]+[lrnszdt]?(?=[a-z]{4})")
_ARTICLES: Final = frozenset(["al", "el", "ul", "ar", "ur", "ud", "as", "ash", "az", "an", "ad"])
_FAITH: Final = re.compile("[aeou]?d?d(?:ine?|een)")
_OF_GOD: Final = re.compile("[aeou]?l?lah")
_MERCIFUL: Final = re.compile("[aeou]r?r[ae]hman")
_ENDING: Final = re.compile(
    "([a-z]{3,}?)(?:([aeou]?d?d(?:ine?|een))|([aeou]?ll?ah)|([aeou]?rr[ae]hman))"
)
_COMPOUND_STARTS: Final = ("abd", "عبد")
_COMPOUND_ENDS: Final = ("din", "dine", "deen", "lah", "hman", "دين", "الله", "لله")
_ARABIC_SERVANT: Final = "عبد"
_ARABIC_ENDINGS: Final = frozenset(("دين", "الدين", "الله", "لله"))


class Token:
    """One word of a name."""

    __slots__ = ("ascii", "initial", "particle", "plain", "script", "text", "wide")

    def __init__(self, text: str, script: str, wide: str = "") -> None:
        self.text = text
        """The word folded within its script."""
        self.script = script
        self.ascii = text if script == LATIN else anyascii(text).lower()
        self.wide = wide
        """The word with ä written as ae and the like, or empty where that is the same."""
        self.initial = len(text) == 1 and script in (LATIN, CYRILLIC, GREEK)
        self.particle = text in PARTICLES
        self.plain = not (
            text in _NO_NAMES or text.startswith(_COMPOUND_STARTS) or text.endswith(_COMPOUND_ENDS)
        )
        """Whether it is no title and no part of a compound, as in most names no word is."""

    def joined(self, other: "Token") -> "Token":
        """The two words written as one."""
        return Token(self.text + other.text, self.script)

    def same_as(self, other: "Token") -> bool:
        """Whether the two are one word, whichever way an umlaut is written."""
        if self.text == other.text:
            return True
        mine, theirs = self.wide or self.text, other.wide or other.text
        return mine == other.text or theirs in (self.text, mine)


@lru_cache(_NAMES_REMEMBERED)
def tokens_of(name: str) -> list[Token]:
    """The words of a name, not to be changed; a family name before a comma is moved to the end."""
    name = _clean(name)
    before, comma, after = name.partition(",")
    if comma and "," not in after and after.strip():
        rest = _BETWEEN.sub("", after).casefold()
        if rest and rest not in SUFFIXES:
            name = f"{after} {before}"
    # Most names have nothing but spaces between their words.
    plain = name.replace(" ", "").isalnum()
    words = name.split() if plain else [word for word in _BETWEEN.split(name) if word]
    del words[MOST_WORDS:]
    tokens = [token for word in words if (token := _token(word)) is not None]
    if False not in [token.plain for token in tokens]:
        return tokens
    return _join_compounds(_without_titles(tokens))


def _without_titles(tokens: list[Token]) -> list[Token]:
    named = [token for token in tokens if token.text not in TITLES]
    while len(named) > 2 and named[0].text in OFFICES:
        del named[0]
    return named or tokens


def _clean(name: str) -> str:
    name = name[:MOST_LETTERS]
    if name.isascii() and name.isprintable():
        return name.replace("'", "").replace("`", "")
    # Normalisation can make a text many times longer.
    name = unicodedata.normalize("NFKC", name)[:MOST_LETTERS]
    if not name.isprintable():
        name = "".join([each for each in name if unicodedata.category(each)[0] != "C"])
    return name.translate(_APOSTROPHES)


@lru_cache(_REMEMBERED)
def _token(word: str) -> Token | None:
    word = word.casefold()
    if word.isascii():
        text = word if word.isalnum() else fold_latin(word)
        return Token(SAME_PARTICLES.get(text, text), LATIN) if text else None
    script = _script_of_word(word)
    if script is None:
        return None
    if script == LATIN:
        wide = word.translate(_GERMANIC)
        text = fold_latin(word)
        return Token(text, LATIN, fold_latin(wide) if wide != word else "") if text else None
    text = without_accents(word)
    if script == ARABIC:
        text = fold_arabic(text)
        if text.startswith("ال") and len(text) > 4 and text not in _ARABIC_ENDINGS:
            text = text[2:]
    elif script == KANA:
        text = "".join([chr(ord(each) + 0x60) if "ぁ" <= each <= "ゖ" else each for each in text])
    elif script == HAN:
        fold = knowledge().han_fold
        text = "".join([fold.get(each, each) for each in text])
    return Token(text, script) if text else None


def _script_of_word(word: str) -> str | None:
    """The one script of a word. A word of mixed or unknown scripts is read as Latin letters."""
    if word.isalpha():
        script = script_of(min(word))
        if script == script_of(max(word)):
            return LATIN if script == OTHER else script
    scripts = {script_of(letter) for letter in word if letter.isalpha()}
    if not scripts:
        return LATIN if any(letter.isalnum() for letter in word) else None
    if len(scripts) == 1:
        script = scripts.pop()
        return LATIN if script == OTHER else script
    return HAN if scripts == {HAN, KANA} else LATIN


def _join_compounds(tokens: list[Token]) -> list[Token]:
    """Write each Arabic compound as one word, however it was divided."""
    result: list[Token] = []
    pending: Token | None = None
    for word in tokens:
        token = word
        if pending is not None:
            if word.script == pending.script == LATIN and word.text in _ARTICLES:
                continue
            if word.script == pending.script:
                token = pending.joined(word)
            else:
                result.append(pending)
            pending = None
        if _is_servant(token):
            pending = Token("abd" if token.script == LATIN else token.text, token.script)
            continue
        ending = _ending_of(token)
        if ending and _join_ending(result, token.script, ending):
            continue
        result.append(_shorten_compound(token))
    if pending is not None:
        result.append(pending)
    return result


def _is_servant(token: Token) -> bool:
    if token.script == LATIN:
        return _SERVANT.fullmatch(token.text) is not None
    return token.script == ARABIC and token.text == _ARABIC_SERVANT


def _ending_of(token: Token) -> str:
    text = token.text
    if token.script == ARABIC:
        return text if text in _ARABIC_ENDINGS else ""
    if token.script != LATIN:
        return ""
    if _FAITH.fullmatch(text):
        return "din"
    if _OF_GOD.fullmatch(text):
        return "lah"
    return "rahman" if _MERCIFUL.fullmatch(text) else ""


def _join_ending(result: list[Token], script: str, ending: str) -> bool:
    """Join an ending to the word before it, without the article between them."""
    place = len(result) - 1
    if place > 0 and result[place].particle:
        place -= 1
    if place < 0 or result[place].particle or result[place].script != script:
        return False
    result[place:] = [Token(result[place].text + ending, script)]
    return True


def _shorten_compound(token: Token) -> Token:
    text = token.text
    if token.script != LATIN or len(text) < 6:
        return token
    if text.startswith("abd"):
        text = _SERVANT_JOINED.sub("abd", text, count=1)
    match = _ENDING.fullmatch(text)
    if match is not None:
        stem, faith, god, _ = match.groups()
        text = stem + ("din" if faith else "lah" if god else "rahman")
    return token if text == token.text else Token(text, LATIN)
