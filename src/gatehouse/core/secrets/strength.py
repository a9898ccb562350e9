"""Estimates how hard a secret is to guess, so that typed ones are told from random ones.

The estimate is generous to random text and harsh to what people type: repeats, sequences, rows of
the keyboard and words count little. It says nothing about how the text was really made.
"""

import re
from collections import Counter
from math import log2
from typing import Final

LEAST_BITS: Final = 80
"""Out of reach of guessing; the estimate for 32 random hexadecimal digits is above it."""

_EXAMPLES: Final = ("at least 32 random characters", "token_urlsafe")
"""What documentation shows in place of a secret."""
_FAMILIAR: Final = (
    "abcdefghijklmnopqrstuvwxyz zyxwvutsrqponmlkjihgfedcba 01234567890 09876543210 "
    "qwertyuiop poiuytrewq asdfghjkl lkjhgfdsa zxcvbnm mnbvcxz 1qaz2wsx3edc4rfv5tgb "
    "password passw0rd secret s3cret changeme gatehouse production sandbox admin root token "
    "letmein welcome example default correct horse battery staple"
)
_LEAST_MATCH: Final = 3
_BITS_PER_WORD: Final = 7
"""Of a sentence; words that dice chose have more, but cannot be told from a sentence."""
_LONGEST_WORD: Final = 8
# More than half of the pairs of letters in English text are among these, one in eleven of random
# ones.
_USUAL_PAIRS: Final = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve "
    "co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur et ss us ec ho ct pr tr ta"
)
_LEAST_PAIRS: Final = 15
_USUAL_SHARE: Final = 0.45


def weakness(text: str) -> str | None:
    """Why a secret may be guessed, without repeating any of it; None for one that looks random."""
    if any(example in text for example in _EXAMPLES):
        return "it is the example of the documentation"
    bits = estimated_bits(text)
    if bits >= LEAST_BITS:
        return None
    return (
        f"it has about {bits} bits by estimate and needs {LEAST_BITS}; repeats, sequences and "
        "words count little"
    )


def estimated_bits(text: str) -> int:
    """How hard a text is to guess, as a number of bits."""
    bits = _bits(text)
    if _looks_like_words(text):
        bits = min(bits, _BITS_PER_WORD * _words(text))
    return bits


def _bits(text: str) -> int:
    """The characters that say something new, each with the average information of the text."""
    counts = Counter(text)
    information = -sum(n / len(text) * log2(n / len(text)) for n in counts.values())
    plain = text.casefold()
    # Two sequences can be interleaved: a1b2c3.
    new = min(_new_characters(plain), _new_characters(plain[::2]) + _new_characters(plain[1::2]))
    return int(new * information)


def _new_characters(plain: str) -> int:
    place, new = 0, 0
    while place < len(plain):
        place += max(1, _longest_match(plain, place))
        new += 1
    return new


def _longest_match(plain: str, place: int) -> int:
    """How many characters from here on repeat earlier ones, or something familiar."""
    known = f"{_FAMILIAR}\n{plain[:place]}"
    length = 0
    while place + length < len(plain) and plain[place : place + length + 1] in known:
        length += 1
    return length if length >= _LEAST_MATCH else 0


def _looks_like_words(text: str) -> bool:
    pairs = [
        run[place : place + 2]
        for run in re.findall(r"[a-z]+", text.casefold())
        for place in range(len(run) - 1)
    ]
    usual = sum(pair in _USUAL_PAIRS for pair in pairs)
    return len(pairs) >= _LEAST_PAIRS and usual >= _USUAL_SHARE * len(pairs)


def _words(text: str) -> int:
    """How many words a text has, also when only capitals or nothing stand between them."""
    runs = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+", text)
    return sum(-(-len(run) // _LONGEST_WORD) for run in runs)
