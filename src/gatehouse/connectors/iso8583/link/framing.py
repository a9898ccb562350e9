"""Cuts messages out of a stream of bytes, and puts before each what the connection wants."""

from typing import Final

from gatehouse.connectors.iso8583.content import translation
from gatehouse.connectors.iso8583.definition import FramingLayout
from gatehouse.connectors.iso8583.layout.formats import CodePage, Encoding
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage

_MOST_SIGNS: Final = 1000
"""Signs of life that come at once."""


class Framing:
    """The framing of one connection; it keeps what is not complete yet."""

    def __init__(self, layout: FramingLayout) -> None:
        self._layout = layout
        self._header = bytes.fromhex(layout.header)
        self._between = bytes.fromhex(layout.after_length)
        # What the length counts beyond the bytes that follow it, and what it leaves out.
        self._extra = layout.bytes if layout.counts_itself else 0
        self._uncounted = 0 if layout.counts_header else len(self._header)
        self._largest = layout.largest + max(len(self._header), 255)
        self._kept = b""

    def frame(self, body: bytes) -> bytes:
        """A message with all that stands before it."""
        if len(body) > self._layout.largest:
            raise MalformedMessage("the message is longer than the connection allows")
        header = self._header
        at = self._layout.total_at
        if at is not None:
            total = len(header) + len(body)
            header = header[:at] + total.to_bytes(2, "big") + header[at + 2 :]
        counted = len(header) + len(body) - self._uncounted + self._extra
        return self._written(counted) + self._between + header + body

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that are complete now, without what stands before them.

        A length that cannot be is a `MalformedMessage`: nothing after it can be read, and the
        connection is of no more use. Messages that came before it are returned first; then the
        next call raises. A length of zero is a sign of life, and is skipped; too many at once are
        none.
        """
        kept = self._kept + data if self._kept else data
        messages: list[bytes] = []
        at, width, signs = 0, self._layout.bytes, 0
        before = width + len(self._between)
        while len(kept) - at >= width:
            size = self._size(kept[at : at + width])
            signs += not size
            if size is None or signs > _MOST_SIGNS:
                if messages:
                    break
                self._kept = kept[at : at + width]
                raise MalformedMessage("the length before a message cannot be")
            end = at + before + size
            if len(kept) < end:
                break
            if size:
                messages.append(self._body(kept[at + before : end]))
            at = end
        self._kept = kept[at:]
        return messages

    def _written(self, counted: int) -> bytes:
        width, encoding = self._layout.bytes, self._layout.length
        if encoding is Encoding.BINARY:
            return counted.to_bytes(width, "big")
        if encoding is Encoding.BCD:
            return bytes.fromhex(f"{counted:0{2 * width}d}")
        raw = b"%0*d" % (width, counted)
        return raw.translate(translation(CodePage.CP037)[0]) if encoding is Encoding.EBCDIC else raw

    def _size(self, raw: bytes) -> int | None:
        """How many bytes of header and message follow; None when the length cannot be."""
        encoding = self._layout.length
        if encoding is Encoding.BINARY:
            counted = int.from_bytes(raw, "big")
        else:
            if encoding is Encoding.BCD:
                raw = raw.hex().encode("ascii")
            elif encoding is Encoding.EBCDIC:
                raw = raw.translate(translation(CodePage.CP037)[1])
            if not raw.isdigit():
                return None
            counted = int(raw)
        if counted == self._extra:
            return 0
        size = counted - self._extra + self._uncounted
        return size if 0 < size <= self._largest else None

    def _body(self, framed: bytes) -> bytes:
        own = framed[0] if self._layout.header_length_first else len(self._header)
        return framed[own:]
