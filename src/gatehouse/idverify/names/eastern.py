"""Names in Han characters or Hangul without spaces, beside names in Latin letters.

Each character is one syllable in Chinese, Korean and Vietnamese; in Japanese a part of a name is
looked up or spelt from the readings of its characters; other names are written by their sound.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec
from rapidfuzz.distance import OSA

from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.idverify.names.scripts import HAN, HANGUL, LATIN, script_of, units_of
from gatehouse.idverify.names.sounds import ear_for
from gatehouse.idverify.names.tokens import KOREAN_FAMILIES, Token

MOST_CHARACTERS: Final = 5
MOST_LATIN_WORDS: Final = 5
_LONGEST_SYLLABLE: Final = 7
_OTHER_FAMILY: Final = 0.7
_SOUNDS_ALIKE: Final = 0.62
_LONGEST_BY_SOUND: Final = 12
ALIKE: Final = 0.85
"""Syllables that only a romanisation tells apart, or a foreign name that sounds the same."""
# A name that reads this well in one language need not be tried in the next.
_CERTAIN: Final = 0.9

_INITIAL: Final = re.compile(
    "(tsz|sch|zh|ch|sh|ts|tz|hs|kw|gw|ph|th|ng(?=[aeiou])|kh|[bcdfghjklmnpqrstvwxyz])?"
)
_INITIAL_CLASSES: Final = {
    initial: group
    for group, initials in {
        "p": "b p ph",
        "t": "d t th",
        "k": "g k kw gw kh",
        "c": "j ch zh z c ts tz q tsz",
        "s": "s sh x hs sch",
        "l": "l r",
        "w": "w v",
        "": "ng",
    }.items()
    for initial in initials.split()
}
_PINYIN: Final = re.compile("(zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw]?)([a-z]*)")
_WADE_GILES_INITIALS: Final = {
    "b": "p",
    "d": "t",
    "g": "k",
    "j": "ch",
    "q": "ch",
    "x": "hs",
    "zh": "ch",
    "r": "j",
    "z": "ts",
    "c": "ts",
}
_WADE_GILES_FINALS: Final = {
    "ie": "ieh",
    "ian": "ien",
    "ong": "ung",
    "iong": "iung",
    "ue": "ueh",
    "ve": "ueh",
    "uo": "o",
}
_HONG_KONG_INITIALS: Final = (
    ("gw", "kw"),
    ("g", "k"),
    ("z", "ch"),
    ("c", "ch"),
    ("jy", "y"),
    ("j", "y"),
    ("b", "p"),
    ("d", "t"),
)
_ROMAJI: Final = re.compile(
    "(?:(?:[kgsztdnhbpmrfjwy]|[kgsnhbpmrc]h?y?|ts|tch|kk|ss|tt|pp)?[aeiou]|n)+"
)
_VOWELS: Final = re.compile("[aeiouyw]*")


class Reading(msgspec.Struct, frozen=True):
    """The best way to read a name: how alike its parts are, and how many Latin words it took."""

    score: float
    likenesses: tuple[float, ...] = ()
    words_used: int = 0
    language: str = ""
    """m, c, k, v as in the readings; j for Japanese, f for a foreign name written by its sound."""


def is_eastern(tokens: Sequence[Token]) -> bool:
    """Whether the words are one name in Han characters or Hangul without spaces."""
    if any(token.script not in (HAN, HANGUL) for token in tokens):
        return False
    if not 2 <= sum([len(token.text) for token in tokens]) <= MOST_CHARACTERS:
        return False
    return len(tokens) == 1 or all(len(token.text) == 1 for token in tokens)


def read_eastern(name: Sequence[Token], latin: Sequence[Token]) -> Reading:
    """Read a name beside Latin words in every way that is possible, and keep the best."""
    text = "".join([token.text for token in name])
    words = [token.text for token in latin[:MOST_LATIN_WORDS]]
    if name[0].script == HANGUL:
        return _by_syllables(text, words, "k")
    best = Reading(-1.0)
    for language in "mkcv":
        best = max(best, _by_syllables(text, words, language), key=_score)
        if best.score > _CERTAIN:
            return best
    return max(best, _japanese(text, words), _by_sound(text, words), key=_score)


def read_parts(
    name: tuple[Sequence[Token], Sequence[Token]], latin: tuple[Sequence[Token], Sequence[Token]]
) -> tuple[float, float]:
    """How well the family names agree, and the given names, when it is known which is which.

    The weakest syllable decides: 1 is a known spelling, `ALIKE` and more one that romanisations
    do not tell apart, anything less another name.
    """
    family, given = ("".join([token.text for token in part]) for part in name)
    word = "".join([token.text for token in latin[0]])
    words = [token.text for token in latin[1][:MOST_LATIN_WORDS]]
    if len(family) > 2 or len(given) > 3:
        return _sound(family, word), _sound(given, "".join(words))
    hangul = name[0][0].script == HANGUL
    ways = [
        (_family(family, language, word), min(_given(given, language, words)))
        for language in ("k" if hangul else "mkcv")
    ]
    if not hangul:
        whole = "".join(words)
        ways.append((_part(family, word), _part(given, whole)))
    return max(ways, key=_weakest)


def _weakest(way: tuple[float, float]) -> tuple[float, float]:
    return min(way), max(way)


def _sound(text: str, word: str) -> float:
    """A foreign name written by its sound: never more than alike."""
    if len(text) > _LONGEST_BY_SOUND:
        return 0.0
    script = script_of(text[0])
    likeness, _ = ear_for(script).likeness(units_of(text, script), units_of(word, LATIN))
    return ALIKE if likeness >= _SOUNDS_ALIKE else min(likeness, _OTHER_FAMILY)


def _score(reading: Reading) -> float:
    return reading.score


def _by_syllables(text: str, words: list[str], language: str) -> Reading:
    best = Reading(-1.0)
    for length in (1, 2) if len(text) >= 4 else (1,):
        family, given = text[:length], text[length:]
        for word, others, skipped in _orders(words):
            if sum(map(len, others)) > _LONGEST_SYLLABLE * len(given):
                continue
            likenesses = [_family(family, language, word), *_given(given, language, others)]
            score = sum(likenesses) / len(likenesses) - 0.04 * skipped
            score -= 0.02 if language in "cv" else 0
            if score > best.score:
                best = Reading(score, tuple(likenesses), len(others) + 1, language)
    return best


def _orders(words: list[str]) -> Iterator[tuple[str, list[str], int]]:
    """Which word may be the family name, which the given name, and how many stand before both."""
    for place in range(len(words) - 1):
        yield words[place], words[place + 1 :], place
    if len(words) > 1:
        yield words[-1], words[:-1], 0


def _family(text: str, language: str, word: str) -> float:
    known = knowledge().spellings.get(text, ())
    if language == "k":
        return _korean_family(text, word)
    if word in known:
        return 1.0
    if len(text) == 1:
        # Families are so few and so alike that another spelling is mostly another family.
        likeness = _character(text, language, word)
        return likeness if likeness == 1 else min(likeness, _OTHER_FAMILY)
    return max((OSA.normalized_similarity(spelling, word) for spelling in known), default=0.0)


def _korean_family(text: str, word: str) -> float:
    hangul = text
    if script_of(text[0]) == HAN:
        if len(text) > 1:
            return 0.0
        hangul = knowledge().readings.get(text, {}).get("k", [""])[0]
    if word in KOREAN_FAMILIES.get(hangul, ()):
        return 1.0
    return min(_character(hangul[:1], "k", word), _OTHER_FAMILY)


def _given(text: str, language: str, words: list[str]) -> list[float]:
    if len(text) == len(words):
        return [_character(sign, language, word) for sign, word in zip(text, words, strict=True)]
    return _spelt(text, language, "".join(words))


def _spelt(text: str, language: str, word: str) -> list[float]:
    """One syllable of the word for each character, cut where it fits best."""
    # The best way to spell the characters so far, by how much of the word it took.
    ways: dict[int, list[float]] = {0: []}
    for left, sign in zip(range(len(text) - 1, -1, -1), text, strict=True):
        reached: dict[int, list[float]] = {}
        for place, spelt in ways.items():
            ends = range(place + 1, min(place + _LONGEST_SYLLABLE, len(word) - left) + 1)
            for end in ends if left else (len(word),):
                way = [*spelt, _character(sign, language, word[place:end])]
                if end not in reached or sum(way) > sum(reached[end]):
                    reached[end] = way
        ways = reached
    return ways.get(len(word), [0.0] * len(text))


@lru_cache(16384)
def _character(sign: str, language: str, syllable: str) -> float:
    if not syllable:
        return 0.0
    if "\uac00" <= sign <= "\ud7a3":
        return _korean(sign, syllable)
    readings = knowledge().readings.get(sign)
    if readings is None:
        return 0.0
    compare = _korean if language == "k" else _syllables
    return max((compare(reading, syllable) for reading in readings.get(language, ())), default=0.0)


@lru_cache(16384)
def _korean(hangul: str, syllable: str) -> float:
    units = units_of(hangul, HANGUL)
    likeness, _ = ear_for(HANGUL).likeness(units, units_of(syllable, LATIN))
    spelt = "".join(units).replace("-", "")
    if spelt == syllable:
        return 1.0
    alike = ALIKE if _shape(spelt) == _shape(syllable) else 0.0
    return max(alike, min(1.0, 1.15 * likeness))


def _syllables(one: str, other: str) -> float:
    if other in (one, _wade_giles(one), _hong_kong(one)):
        return 1.0
    left, right = _shape(one), _shape(other)
    if left == right:
        return ALIKE
    same = [x == y for x, y in zip(left, right, strict=True)]
    return 0.45 * same[0] + 0.25 * same[1] + 0.15 * same[2]


@lru_cache(4096)
def _wade_giles(pinyin: str) -> str:
    """A Mandarin syllable in the older spelling, without its apostrophes."""
    match = _PINYIN.fullmatch(pinyin)
    if match is None:
        return pinyin
    initial, final = match.groups()
    older = _WADE_GILES_INITIALS.get(initial, initial)
    if final == "i" and initial in ("zh", "ch", "sh", "r"):
        return older + "ih"
    if final == "i" and initial in ("z", "c", "s"):
        return {"z": "tzu", "c": "tzu", "s": "ssu"}[initial]
    return older + _WADE_GILES_FINALS.get(final, final)


@lru_cache(4096)
def _hong_kong(jyutping: str) -> str:
    """A Cantonese syllable as Hong Kong writes it."""
    word = jyutping.replace("oe", "eu").replace("eo", "u").replace("aa", "a")
    for initial, usual in _HONG_KONG_INITIALS:
        if word.startswith(initial):
            return usual + word[len(initial) :]
    return word


@lru_cache(16384)
def _shape(syllable: str) -> tuple[str, str, str]:
    """A syllable as all romanisations agree on it: kind of beginning, of vowel, of ending."""
    match = _INITIAL.match(syllable)
    initial = match.group(0) if match else ""
    rest = syllable[len(initial) :]
    match = _VOWELS.match(rest)
    vowels = match.group(0) if match else ""
    ending = rest[len(vowels) :].replace("r", "").replace("h", "")
    begin = _INITIAL_CLASSES.get(initial, initial)
    vowel = _vowel_class(vowels.replace("w", "u").replace("y", "i"))
    if (begin == "y" and vowel == "i") or (begin == "w" and vowel == "o"):
        begin = ""
    if ending in ("n", "ng"):
        return begin, vowel, "n"
    return begin, vowel, ending[:1].replace("g", "k").replace("b", "p").replace("d", "t")


def _vowel_class(vowels: str) -> str:
    if not vowels:
        return ""
    if "a" in vowels:
        return (
            "e" if vowels.endswith(("ai", "ae")) else "o" if vowels.endswith(("ao", "au")) else "a"
        )
    if "o" in vowels or "u" in vowels:
        return "i" if vowels in ("ui", "uei") else "e" if vowels == "oe" else "o"
    return "i" if vowels in ("ee", "i", "ii") else "e"


def _japanese(text: str, words: list[str]) -> Reading:
    best = Reading(-1.0)
    if len(words) < 2:
        return best
    first, last = (words[0], "".join(words[1:])), (words[-1], "".join(words[:-1]))
    for cut in range(1, len(text)):
        for family, given in {first, last}:
            likenesses = (_part(text[:cut], family), _part(text[cut:], given))
            score = sum(likenesses) / 2
            if score > best.score:
                best = Reading(score, likenesses, len(words), "j")
    return best


def _part(text: str, word: str) -> float:
    if _ROMAJI.fullmatch(word) is None:
        return 0.0
    word = _japanese_fold(word)
    spellings = _japanese_spellings(text)
    known = max([OSA.normalized_similarity(each, word) for each in spellings], default=0.0)
    return known if known >= 0.85 else max(known, 0.95 * _spells(text, word))


def _spells(text: str, word: str) -> float:
    """How much of a word the readings of the characters can spell, in order."""
    ways = {0: 0.0}
    for sign in text:
        reached: dict[int, float] = {}
        for place, spelt in ways.items():
            for reading in _japanese_readings(sign):
                end = place + len(reading)
                if word.startswith(reading, place) and reached.get(end, -1) < spelt + len(reading):
                    reached[end] = spelt + len(reading)
            # A reading that is missing from the table takes two letters and earns nothing.
            reached.setdefault(min(place + 2, len(word)), spelt)
        ways = reached
    best = max(spelt * (1.0 if end == len(word) else 0.8) for end, spelt in ways.items())
    return best / max(1, len(word))


@lru_cache(4096)
def _japanese_readings(sign: str) -> tuple[str, ...]:
    known = knowledge()
    readings = {_japanese_fold(each) for each in known.readings.get(sign, {}).get("j", ())}
    spellings = [each for each in known.spellings.get(sign, ()) if _ROMAJI.fullmatch(each)]
    readings.update(map(_japanese_fold, spellings))
    # Verbs and adjectives lose their ending in names.
    readings.update([reading[:-1] for reading in readings if len(reading) > 3])
    return tuple(sorted(filter(None, readings)))


@lru_cache(4096)
def _japanese_spellings(text: str) -> tuple[str, ...]:
    return tuple({_japanese_fold(each) for each in knowledge().spellings.get(text, ())})


def _japanese_fold(word: str) -> str:
    for long, short in (("ou", "o"), ("oo", "o"), ("oh", "o"), ("uu", "u"), ("si", "shi")):
        word = word.replace(long, short)
    return word.replace("tu", "tsu").replace("ti", "chi")


def _by_sound(text: str, words: list[str]) -> Reading:
    best = Reading(-1.0)
    candidates = [("".join(words), len(words))]
    if len(words) > 1:
        candidates += [(word, 1) for word in words]
    if len(words) == 2:
        candidates.append((words[1] + words[0], 2))
    spellings = knowledge().spellings.get(text, ())
    for word, used in candidates:
        likeness, _ = ear_for(HAN).likeness(units_of(text, HAN), units_of(word, LATIN))
        known = max((OSA.normalized_similarity(each, word) for each in spellings), default=0.0)
        likeness = max(likeness, known)
        if likeness - 0.1 > best.score:
            best = Reading(likeness - 0.1, (likeness,), used, "f")
    return best
