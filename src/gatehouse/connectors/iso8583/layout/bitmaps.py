"""Which fields a message has: 64 bits, or 128 where the first one is set."""

from typing import Final

from gatehouse.connectors.iso8583.content import HEX_DIGITS, translation
from gatehouse.connectors.iso8583.definition import EncodingLayout
from gatehouse.connectors.iso8583.layout.formats import Encoding
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage

_SIZE: Final = 8
_SECOND_HALF: Final = (1 << 64) - 1


class BitmapCodec:
    """Writes and reads bitmaps, as bytes or as hexadecimal digits in the encoding of the type."""

    def __init__(self, encoding: EncodingLayout) -> None:
        self._in_hex = encoding.bitmap is Encoding.HEX
        in_ebcdic = encoding.mti is Encoding.EBCDIC
        self._tables = translation(encoding.code_page) if in_ebcdic else None

    def write(self, bits: int) -> bytes:
        """The bitmap of these bits; the highest of 128 stands for field 1."""
        if bits & _SECOND_HALF:
            raw = (bits | 1 << 127).to_bytes(2 * _SIZE, "big")
        else:
            raw = (bits >> 64).to_bytes(_SIZE, "big")
        if not self._in_hex:
            return raw
        digits = raw.hex().upper().encode("ascii")
        return digits if self._tables is None else digits.translate(self._tables[0])

    def size(self, first: bytes) -> int:
        """How many bytes a bitmap has that begins with this one."""
        if not self._in_hex:
            return 2 * _SIZE if first >= b"\x80" else _SIZE
        digit = first if self._tables is None else first.translate(self._tables[1])
        return 2 * _SIZE * (2 if digit and digit in b"89ABCDEFabcdef" else 1)

    def numbers(self, bitmap: bytes) -> list[int]:
        """The fields that a bitmap lists, without the one that stands for its second half."""
        raw = self._raw(bitmap) if self._in_hex else bitmap
        if len(raw) not in (_SIZE, 2 * _SIZE):
            raise MalformedMessage("the bitmap is cut off")
        bits = int.from_bytes(raw.ljust(2 * _SIZE, b"\0"), "big")
        return [number for number in range(2, 129) if bits >> (128 - number) & 1]

    def _raw(self, bitmap: bytes) -> bytes:
        digits = bitmap if self._tables is None else bitmap.translate(self._tables[1])
        if len(digits) % 2 or digits.translate(None, HEX_DIGITS):
            raise MalformedMessage("the bitmap must be of hexadecimal digits")
        return bytes.fromhex(digits.decode("ascii"))
