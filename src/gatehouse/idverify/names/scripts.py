"""Tells the script of a word, and splits a word into units of sound.

A unit is a letter, or several that usually stand for one sound (``sh``, ``ou``). Which units
correspond across scripts is learnt, see `sounds`.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from operator import itemgetter
from typing import Final

from anyascii import anyascii

LATIN: Final = "latin"
GREEK: Final = "greek"
CYRILLIC: Final = "cyrillic"
HEBREW: Final = "hebrew"
ARABIC: Final = "arabic"
KANA: Final = "kana"
HANGUL: Final = "hangul"
HAN: Final = "han"
OTHER: Final = "other"

SCRIPTS: Final = (LATIN, GREEK, CYRILLIC, HEBREW, ARABIC, KANA, HANGUL, HAN)

_BLOCKS: Final = (
    (0x0000, LATIN),
    (0x0370, GREEK),
    (0x0400, CYRILLIC),
    (0x0530, OTHER),
    (0x0590, HEBREW),
    (0x0600, ARABIC),
    (0x0700, OTHER),
    (0x0750, ARABIC),
    (0x0780, OTHER),
    (0x1100, HANGUL),
    (0x1200, OTHER),
    (0x1E00, LATIN),
    (0x1F00, GREEK),
    (0x2000, OTHER),
    (0x3005, HAN),
    (0x3008, OTHER),
    (0x3040, KANA),
    (0x3100, OTHER),
    (0x3130, HANGUL),
    (0x3190, OTHER),
    (0x31F0, KANA),
    (0x3200, OTHER),
    (0x3400, HAN),
    (0xA000, OTHER),
    (0xAC00, HANGUL),
    (0xD7B0, OTHER),
    (0xF900, HAN),
    (0xFB00, OTHER),
    (0xFB50, ARABIC),
    (0xFE00, OTHER),
    (0xFE70, ARABIC),
    (0xFF00, OTHER),
    (0x20000, HAN),
    (0x40000, OTHER),
)
_STARTS: Final = [start for start, _ in _BLOCKS]

_LATIN_UNITS: Final = re.compile(
    "tsch|sch|eau|sh|ch|kh|gh|th|ph|zh|dh|ts|tz|cz|sz|ck|qu|dj|dz|ng|ny|gn|lh|nh|ou|oo|ee|ie|ei"
    "|ai|ay|ey|oe|ue|ae|au|aw|ow|ew|aa|uu|ij|yo|ye|ya|yu|[a-z]"
)
_DOUBLED: Final = re.compile(r"([bcdfghjklmnpqrstvwxz])\1+")
_GREEK_UNITS: Final = re.compile("ου|μπ|ντ|γκ|γγ|αυ|ευ|τσ|τζ|αι|ει|οι|[α-ω]")
_NOT_LATIN: Final = re.compile("[^a-z0-9]+")
# Letters of Persian, Urdu, Pashto and Kurdish, and the Arabic letters with the same sound.
_ARABIC_PLAIN: Final = str.maketrans(
    "أإآٱکیېےىہۀھۃګڭڕڵۆۇێەٹڈڑںټډړڼښږځڅؤئ",
    "ااااكييييهههةگكرلوويهتدرنتدرنشژزسوي",
    "ـ",
)
_HEBREW_FINALS: Final = str.maketrans("ךםןףץ", "כמנפצ")

_KANA_ROWS: Final = {
    "": "アイウエオ",
    "k": "カキクケコ",
    "s": "サ・スセソ",
    "t": "タ・・テト",
    "n": "ナニヌネノ",
    "h": "ハヒ・ヘホ",
    "m": "マミムメモ",
    "r": "ラリルレロ",
    "g": "ガギグゲゴ",
    "z": "ザ・ズゼゾ",
    "d": "ダ・・デド",
    "b": "バビブベボ",
    "p": "パピプペポ",
    "y": "ヤ・ユ・ヨ",
}
_KANA: Final[dict[str, tuple[str, ...]]] = {
    sign: tuple(filter(None, (consonant, vowel)))
    for consonant, row in _KANA_ROWS.items()
    for vowel, sign in zip("aiueo", row, strict=True)
    if sign != "・"
} | {
    "シ": ("sh", "i"),
    "チ": ("ch", "i"),
    "ツ": ("ts", "u"),
    "フ": ("f", "u"),
    "ジ": ("j", "i"),
    "ヂ": ("j", "i"),
    "ヅ": ("z", "u"),
    "ワ": ("w", "a"),
    "ヲ": ("w", "o"),
    "ヰ": ("w", "i"),
    "ヱ": ("w", "e"),
    "ン": ("n",),
    "ヴ": ("v", "u"),
    "ヷ": ("v", "a"),
}
_SMALL_KANA: Final = dict(
    zip("ァィゥェォャュョヮ", ("a", "i", "u", "e", "o", "ya", "yu", "yo", "wa"), strict=True)
)
_HARD_BEFORE_SMALL: Final = ("sh", "ch", "j")

# In the order of their code points; an empty entry is a silent letter.
_HANGUL_INITIALS: Final = re.split(",", "g,kk,n,d,tt,r,m,b,pp,s,ss,,j,jj,ch,k,t,p,h")
_HANGUL_VOWELS: Final = re.split(
    ",", "a,ae,ya,yae,eo,e,yeo,ye,o,wa,wae,oe,yo,u,wo,we,wi,yu,eu,ui,i"
)
_HANGUL_FINALS: Final = re.split(
    ",", ",k,k,ks,n,nj,nh,t,l,lk,lm,lb,ls,lt,lp,lh,m,p,ps,t,t,ng,t,t,k,t,p,t"
)
PINYIN: Final = re.compile("(zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw]?)(.*)")
"""The initial and the final of a Mandarin syllable."""


def script_of(letter: str) -> str:
    """The script of one letter."""
    return _BLOCKS[bisect_right(_STARTS, ord(letter)) - 1][1]


def fold_latin(word: str) -> str:
    """A word of any script in lower-case Latin letters without accents."""
    if not word.isascii():
        parts = unicodedata.normalize("NFKD", word)
        word = "".join([part for part in parts if not unicodedata.combining(part)])
        if not word.isascii():
            word = anyascii(word)
    return _NOT_LATIN.sub("", word.lower())


def without_accents(word: str) -> str:
    """A word without accents, vowel points and other combining marks."""
    if unicodedata.is_normalized("NFKD", word) and not any(map(unicodedata.combining, word)):
        return word
    return "".join(map(_plain_letter, word))


def _plain_letter(letter: str) -> str:
    # Hangul syllables, voiced kana and a few Cyrillic letters must not be decomposed.
    if "\uac00" <= letter <= "\ud7a3" or "\u3040" <= letter <= "\u30ff" or letter in "йўї":
        return letter
    parts = unicodedata.normalize("NFKD", letter)
    return "".join(part for part in parts if not unicodedata.combining(part))


def fold_arabic(word: str) -> str:
    """An Arabic word with letters of other languages replaced by Arabic ones."""
    return word.translate(_ARABIC_PLAIN)


def units_of(word: str, script: str) -> list[str]:
    """The units of sound of a word that is folded for its script."""
    return _READERS.get(script, _latin)(word)


def _latin(word: str) -> list[str]:
    return _LATIN_UNITS.findall(_DOUBLED.sub(itemgetter(1), word))


def _arabic(word: str) -> list[str]:
    return [letter for letter in word if "\u0621" <= letter <= "\u06d3"]


def _hebrew(word: str) -> list[str]:
    return [letter for letter in word.translate(_HEBREW_FINALS) if "א" <= letter <= "ת"]


def _kana(word: str) -> list[str]:
    units: list[str] = []
    for sign in word:
        wide = chr(ord(sign) + 0x60) if "ぁ" <= sign <= "ゖ" else sign
        small = _SMALL_KANA.get(wide)
        if small is None:
            units.extend(_KANA.get(wide, ()))
            continue
        if units:
            units.pop()
        if units and small[0] == "y" and units[-1] in _HARD_BEFORE_SMALL:
            small = small[1:]
        units.extend(small)
    return units


def _hangul(word: str) -> list[str]:
    units: list[str] = []
    for syllable in word:
        index = ord(syllable) - 0xAC00
        if not 0 <= index < 11172:
            continue
        initial = _HANGUL_INITIALS[index // 588]
        final = _HANGUL_FINALS[index % 28]
        if initial:
            units.append(initial + "-")
        units.append(_HANGUL_VOWELS[index % 588 // 28])
        if final:
            units.append("-" + final)
    return units


def _han(word: str) -> list[str]:
    units: list[str] = []
    for sign in word:
        match = PINYIN.match(anyascii(sign).lower())
        assert match is not None, "every part of the pattern is optional"
        initial, final = match.groups()
        if initial:
            units.append(initial + "-")
        if final.endswith("ng"):
            units += [final[:-2], "-ng"]
        elif final.endswith("n") and len(final) > 1:
            units += [final[:-1], "-n"]
        elif final:
            units.append(final)
    return units


_READERS: Final[dict[str, Callable[[str], list[str]]]] = {
    GREEK: _GREEK_UNITS.findall,
    CYRILLIC: list,
    HEBREW: _hebrew,
    ARABIC: _arabic,
    KANA: _kana,
    HANGUL: _hangul,
    HAN: _han,
}
