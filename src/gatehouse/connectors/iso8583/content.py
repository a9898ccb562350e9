"""How the content of a field is written: characters, digits and bytes, and the lengths before it.

Everything here is made once for a dialect. Errors name the field, never the value.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from gatehouse.connectors.iso8583.layout.formats import Encoding, Side
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.core.wording.sentences import Phrase, phrases_of

_DIGITS: Final = b"0123456789"
_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PRINTABLE: Final = bytes(range(0x20, 0x7F))
ALLOWED: Final = {
    "n": _DIGITS,
    "z": _DIGITS + b"=D",
    "a": _LETTERS + b" ",
    "an": _LETTERS + _DIGITS + b" ",
    "ans": _PRINTABLE,
}
_WORDS: Final = phrases_of(
    "document.iso_content",
    {
        "n": "digits",
        "z": "digits and a separator",
        "a": "letters",
        "an": "letters and digits",
        "ans": "printable characters",
        "b": "hexadecimal digits, two for a byte",
    },
)
_OTHER_KIND: Final = Phrase("document.iso_kind", "{name} must be of {what}")
HEX_DIGITS: Final = b"0123456789ABCDEFabcdef"
_UNKNOWN: Final = 0x1A
"""Stands for a byte that means no ASCII character; no content allows it."""


class Content(NamedTuple):
    """Writes the content of a field, and reads it."""

    encode: Callable[[str], bytes]
    decode: Callable[[bytes, int], str]
    """Takes the bytes and how many characters they hold."""
    halved: bool
    """Whether two characters share a byte."""

    def size(self, characters: int) -> int:
        """How many bytes these characters take."""
        return (characters + 1) // 2 if self.halved else characters


@lru_cache
def translation(code_page: str) -> tuple[bytes, bytes]:
    """From ASCII to a page of EBCDIC, and back."""
    there = bytearray(range(256))
    back = bytearray([_UNKNOWN]) * 256
    for code in _PRINTABLE:
        there[code] = chr(code).encode(code_page)[0]
        back[there[code]] = code
    return bytes(there), bytes(back)


def kind_problem(name: str, kind: str) -> str:
    """What is said of a field whose characters are of another kind."""
    return _OTHER_KIND(name=name, what=_WORDS[kind]())


def text_content(name: str, kind: str, code_page: str | None) -> Content:
    """Characters, one in a byte; None as code page is ASCII."""
    allowed, wrong = ALLOWED[kind], kind_problem(name, kind)
    there, back = (None, None) if code_page is None else translation(code_page)

    def encode(text: str) -> bytes:
        raw = text.encode("ascii", "replace")
        if raw.translate(None, allowed) or not text.isascii():
            raise MalformedMessage(wrong)
        return raw if there is None else raw.translate(there)

    def decode(raw: bytes, _characters: int) -> str:
        if back is not None:
            raw = raw.translate(back)
        if raw.translate(None, allowed):
            raise MalformedMessage(wrong)
        return raw.decode("ascii")

    return Content(encode, decode, halved=False)


def packed_digits(name: str, kind: str, pad: Side) -> Content:
    """Two digits in a byte; an odd number of them has a zero before it, or an F behind it."""
    allowed, wrong = ALLOWED[kind], kind_problem(name, kind)
    to_left, is_track = pad is Side.LEFT, kind == "z"

    def encode(text: str) -> bytes:
        if text.encode("ascii", "replace").translate(None, allowed):
            raise MalformedMessage(wrong)
        if len(text) % 2:
            text = f"0{text}" if to_left else f"{text}F"
        return bytes.fromhex(text.replace("=", "D") if is_track else text)

    def decode(raw: bytes, characters: int) -> str:
        text = raw.hex()
        if len(text) != characters:
            text = text[len(text) - characters :] if to_left else text[:characters]
        elif not to_left:
            text = text.removesuffix("f")
        if is_track:
            text = text.replace("d", "=")
        if text.encode("ascii").translate(None, allowed):
            raise MalformedMessage(wrong)
        return text

    return Content(encode, decode, halved=True)


def byte_content(name: str, encoding: Encoding, code_page: str | None) -> Content:
    """Bytes, which are hexadecimal digits in values; sent as bytes, or as the digits."""
    wrong = kind_problem(name, "b")
    there, back = (None, None) if code_page is None else translation(code_page)

    def raw_of(digits: bytes) -> bytes:
        if len(digits) % 2 or digits.translate(None, HEX_DIGITS):
            raise MalformedMessage(wrong)
        return bytes.fromhex(digits.decode("ascii"))

    def encode(text: str) -> bytes:
        return raw_of(text.encode("ascii", "replace"))

    def encode_hex(text: str) -> bytes:
        digits = encode(text).hex().upper().encode("ascii")
        return digits if there is None else digits.translate(there)

    def decode_hex(raw: bytes, _characters: int) -> str:
        return raw_of(raw if back is None else raw.translate(back)).hex().upper()

    if encoding is Encoding.HEX:
        return Content(encode_hex, decode_hex, halved=False)
    return Content(encode, lambda raw, _characters: raw.hex().upper(), halved=False)


class Lengths(NamedTuple):
    """The lengths that may stand before a field; what is not listed is too long or no length."""

    width: int
    written: tuple[bytes, ...]
    """By the number that they stand for."""
    read: dict[bytes, int]


@lru_cache
def length_table(encoding: Encoding, width: int, most: int, code_page: str) -> Lengths:
    """All lengths up to the most; the width is in digits, for binary in bytes."""
    if encoding is Encoding.BINARY:
        written = tuple(number.to_bytes(width, "big") for number in range(most + 1))
    elif encoding is Encoding.BCD:
        even = width + width % 2
        written = tuple(bytes.fromhex(f"{number:0{even}d}") for number in range(most + 1))
    else:
        page = "ascii" if encoding is Encoding.ASCII else code_page
        written = tuple(f"{number:0{width}d}".encode(page) for number in range(most + 1))
    return Lengths(len(written[0]), written, {raw: number for number, raw in enumerate(written)})
