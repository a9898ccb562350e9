"""Distinguishes user names that people choose from those that machines generate.

The evidence is a sum of log-odds, so each kind can be read by itself: how unusual the order of
letters is for names of any language, how often letters and digits alternate, whether the letters
are neighbours on a keyboard.
"""

import math
import re
import unicodedata
from functools import lru_cache
from operator import add
from string import ascii_lowercase
from typing import Final

MAX_CHARACTERS: Final = 64
_MAX_ADDRESS: Final = 320

LEAST: Final = -2.0
MOST: Final = 2.5
STEP: Final = 0.5

# For each letter (the rows) and the one after it (the digits of a row): how much likelier the pair
# is among random letters than in names, from 0 for LEAST to 9 for MOST. Counted by
# scripts/build_handles.py in the names of people of all countries, in Latin transcription.
_PAIR_ROWS: Final = """
    45446755553241469233555956 04861888288488188288286858 39474990393597388675376961
    18741877277577189367294943 46554766464241469133434956 17771477177477277266277747
    17762843268465287355273646 08881884186565288583366848 36242847453341479433577866
    07661777145776177766277777 07773772174575077567377737 16641777165468289956475949
    05572996198647268665389959 17532613273884299944695857 36557765774341469234321876
    17671771177477147367475757 17775777177777374777057777 16542656185665189444385944
    28382862272567158842386863 19592993266697199324495955 44444555462331469223495835
    07771777077675377637447747 07773776176771377647474737 17772775076557277774177467
    16442877453452279534287947 17462771274666277777377724
"""
_PAIRS: Final = {
    first + second: LEAST + STEP * int(digit)
    for first, row in zip(ascii_lowercase, _PAIR_ROWS.split(), strict=True)
    for second, digit in zip(ascii_lowercase, row, strict=True)
}

# Rows and columns of the usual keyboards.
_KEYS: Final = (
    "qwertyuiop qwertzuiop azertyuiop asdfghjkl qsdfghjklm zxcvbnm yxcvbnm wxcvbn"
    " qaz wsx edc rfv tgb yhn ujm"
)
_KEY_TRIPLES: Final = frozenset(
    triple
    for keys in _KEYS.split()
    for start in range(len(keys) - 2)
    for triple in (keys[start : start + 3], keys[start : start + 3][::-1])
)

# Most have this form, and are not looked through for each kind of part.
_USUAL: Final = re.compile(r"([a-z]+)(?:[._-]([a-z]+))?([0-9]*)")
_WORDS: Final = re.compile(r"[a-z]+")
_NUMBERS: Final = re.compile(r"[0-9]+")
_CHANGES: Final = re.compile(r"[a-z](?=[0-9])|[0-9](?=[a-z])")
# W and y are vowels in Welsh and elsewhere.
_CONSONANTS: Final = re.compile(r"[bcdfghjklmnpqrstvxz]{6,}")
# Koreans type their names on Latin keys: the left hand has the consonants, the right the vowels.
_KOREAN_KEYS: Final = re.compile(
    r"[qwertasdfgzxcv][yuiophjklbnm]{1,2}"
    r"(?:[qwertasdfgzxcv]{1,3}[yuiophjklbnm]{1,2})+[qwertasdfgzxcv]{0,2}"
)
_INNER_DIGIT: Final = re.compile(r"[a-z][0-9]+[a-z]")
_CAPITAL_INSIDE: Final = re.compile(r"[a-z][A-Z]")
_DIGITS_AS_LETTERS: Final = str.maketrans("431057", "aeiost")
_PLAIN_LETTERS: Final = str.maketrans(
    {"ł": "l", "đ": "d", "ð": "d", "ø": "o", "ı": "i", "ə": "a", "ħ": "h"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ŋ": "ng"}
)

# Names are evidence of a person, but a name must not outweigh random characters after it.
_LEAST_OF_A_RUN: Final = -3.0
_LEAST_OF_LETTERS: Final = -4.0
_SURELY_A_NAME: Final = -1.5
_BY_CHANGES: Final = (0.0, 0.0, 1.0, 2.5, 4.0, 5.0, 6.5, 8.0)
_LEET_SHARE: Final = 0.3
_MOST_OF_LEET: Final = 1.2
_KOREAN_SHARE: Final = 0.3
_KEYBOARD: Final = 6.0
_HEXADECIMAL: Final = 3.0
_LONG_HEXADECIMAL: Final = 5.0
_CAPITAL: Final = 0.8
_CONSONANT: Final = 0.7
_MOST_OF_CONSONANTS: Final = 2.0
# A few characters prove little: initials and abbreviations look random too.
_BY_LENGTH: Final = (0.0, 0.0, 0.1, 0.2, 0.3, 0.5, 0.75)
_BIAS: Final = 2.2
_SLOPE: Final = 0.9


def randomness(handle: str) -> float:
    """How much a user name looks machine-made, from 0 to 1; of an e-mail address, its local part.

    Names in other scripts than Latin are taken for people's.
    """
    return _randomness(_name_in(handle))


@lru_cache(maxsize=20_000)
def _randomness(text: str) -> float:
    lower = text.lower()
    if not lower.isascii():
        folded = _fold(lower)
        if folded is None:
            return 0.0
        lower = folded
    words, numbers, changes = _parts(lower)
    word = "".join(words)
    order = 0.0
    for part in words:
        odds = _oddness(part)
        if odds > 0 and _KOREAN_KEYS.fullmatch(part):
            odds *= _KOREAN_SHARE
        order += odds if odds > _LEAST_OF_A_RUN else _LEAST_OF_A_RUN
    evidence = _weighed(max(_LEAST_OF_LETTERS, order), len(word))
    if order > _SURELY_A_NAME:
        evidence += _of_keyboard(word)
    if numbers:
        evidence += _of_numbers(lower, word, numbers, changes)
    consonants = _CONSONANTS.search(lower)
    if consonants is not None:
        evidence += min(_MOST_OF_CONSONANTS, _CONSONANT * (len(consonants[0]) - 5))
    if not text.islower():
        evidence += _CAPITAL * max(0, len(_CAPITAL_INSIDE.findall(text)) - 2)
    return 1 / (1 + math.exp(_SLOPE * (_BIAS - evidence)))


def _parts(text: str) -> tuple[list[str], list[str], int]:
    """The words, the numbers, and how often a letter is beside a digit."""
    usual = _USUAL.fullmatch(text)
    if usual is None:
        numbers = _NUMBERS.findall(text)
        return _WORDS.findall(text), numbers, len(_CHANGES.findall(text)) if numbers else 0
    first, second, number = usual.groups()
    numbers = [number] if number else []
    return [first, second] if second else [first], numbers, len(numbers)


def _name_in(handle: str) -> str:
    text = handle[:_MAX_ADDRESS]
    if "@" in text:
        text = text.rpartition("@")[0] or text
    # A plus begins a tag that people add to their address.
    if "+" in text:
        text = text.partition("+")[0] or text
    return text[:MAX_CHARACTERS]


def _fold(text: str) -> str | None:
    plain = unicodedata.normalize("NFKD", text.translate(_PLAIN_LETTERS))
    # One character can become eighteen.
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))[:MAX_CHARACTERS]
    if any(sign.isalpha() and not sign.isascii() for sign in plain):
        return None
    return plain


# Words in names recur, which the cache uses; the numbers after them do not.
@lru_cache(maxsize=20_000)
def _oddness(word: str) -> float:
    return sum(map(_PAIRS.__getitem__, map(add, word, word[1:])))


def _weighed(evidence: float, signs: int) -> float:
    if evidence > 0 and signs < len(_BY_LENGTH):
        return evidence * _BY_LENGTH[signs]
    return evidence


def _of_numbers(text: str, word: str, numbers: list[str], changes: int) -> float:
    longest = len(max(numbers, key=len))
    digits = sum(map(len, numbers))
    mixed = _of_changes(text, changes) + _of_hexadecimal(word, digits, changes)
    evidence = _weighed(mixed, len(word) + digits)
    # People use years and dates; longer numbers may be phone numbers.
    if longest > 4:
        evidence += 0.4 if longest <= 6 else 0.8 if longest <= 8 else 1.2
    return evidence


def _of_changes(text: str, changes: int) -> float:
    evidence = _BY_CHANGES[min(changes, len(_BY_CHANGES) - 1)]
    if evidence:
        # Players write n00b for noob. With letters for digits that is a word, random text is not.
        read = text.translate(_DIGITS_AS_LETTERS)
        if _INNER_DIGIT.search(read) is None and sum(map(_oddness, _WORDS.findall(read))) < -1.5:
            return min(_MOST_OF_LEET, evidence * _LEET_SHARE)
    return evidence


def _of_hexadecimal(word: str, digits: int, changes: int) -> float:
    if changes < 2 or len(word) < 3 or digits < 2 or word.strip("abcdef"):
        return 0.0
    return _HEXADECIMAL if len(word) + digits < 16 else _LONG_HEXADECIMAL


def _of_keyboard(word: str) -> float:
    triples = len(word) - 2
    if triples < 3:
        return 0.0
    found = sum(map(_KEY_TRIPLES.__contains__, map(add, map(add, word, word[1:]), word[2:])))
    if found < 0.4 * triples or found < (2 if triples >= 4 else 3):
        return 0.0
    return _KEYBOARD
