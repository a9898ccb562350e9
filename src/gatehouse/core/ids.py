"""Identifiers that grow with time, so that new rows land at the end of every index.

A prefix says what an id names; the rest is a UUIDv7 in 26 lower-case base-32 characters.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_TO_DIGITS: Final = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
"""To what Python writes numbers with."""
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
_STEPS: Final = range(70, -1, -10)
_ID = re.compile(r"[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}")

Randomness = Callable[[int], bytes]


def new_id(prefix: str, now_ms: int, random_bytes: Randomness) -> str:
    """Make an id such as ``req_01h455vb4pex5vsknk084sn02q`` for the given moment."""
    noise = int.from_bytes(random_bytes(10), "big")
    # Version 7 and variant 10 stand where RFC 9562 wants them among the 80 random bits.
    noise = noise & 0x0FFF_3FFF_FFFF_FFFF_FFFF | 0x7000_8000_0000_0000_0000
    return f"{prefix}_{_letters(now_ms, 50)}{''.join([_PAIRS[noise >> s & 0x3FF] for s in _STEPS])}"


def derived_id(prefix: str, at_ms: int, origin: str) -> str:
    """The one id that follows from a moment and a text: made again from both, it is the same."""
    return new_id(prefix, at_ms, lambda size: blake2b(origin.encode(), digest_size=size).digest())


def sibling_id(prefix: str, origin: str, number: int) -> str:
    """Another id beside one that is there, for each number below 1024; it costs next to nothing.

    64 of the 74 random bits of the other id stay, so that ids of one moment still differ.
    """
    return f"{prefix}_{origin[-26:-2]}{_PAIRS[number]}"


def first_id(prefix: str, at_ms: int) -> str:
    """What every id of this moment or later is above, and every earlier one below."""
    return f"{prefix}_{_letters(at_ms, 50)}"


def id_time_ms(text: str) -> int:
    """The moment for which an id was made."""
    return int(text.partition("_")[2][:10].translate(_TO_DIGITS), 32)


@lru_cache(maxsize=16)
def _letters(value: int, bits: int) -> str:
    return "".join([_PAIRS[value >> shift & 0x3FF] for shift in range(bits - 10, -1, -10)])


def is_id(text: str, prefix: str) -> bool:
    """Whether the text has the shape of an id with this prefix."""
    return text.startswith(prefix + "_") and _ID.fullmatch(text) is not None
