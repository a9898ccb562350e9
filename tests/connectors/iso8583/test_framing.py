"""Cutting messages out of a stream."""

import pytest

from gatehouse.connectors.iso8583.definition import FramingLayout
from gatehouse.connectors.iso8583.layout.formats import Encoding
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.link.framing import Framing

BODIES = [b"0800 one", b"0810 the second", b"x" * 300]
VISA_HEADER = "1601020000000000000000000000000000000000000000"[:44]

LAYOUTS = {
    "binary": FramingLayout(),
    "four digits": FramingLayout(length=Encoding.ASCII, bytes=4),
    "four digits that count themselves": FramingLayout(
        length=Encoding.ASCII, bytes=4, counts_itself=True
    ),
    "two digits in a byte": FramingLayout(length=Encoding.BCD, bytes=2),
    "ebcdic": FramingLayout(length=Encoding.EBCDIC, bytes=4),
    "a TPDU": FramingLayout(header="6000030000"),
    "a header that is not counted": FramingLayout(header="6000030000", counts_header=False),
    "a header with the total length": FramingLayout(
        bytes=2, after_length="0000", header=VISA_HEADER, header_length_first=True, total_at=3
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_messages_come_out_as_they_went_in_however_the_stream_is_cut(
    layout: FramingLayout,
) -> None:
    framing = Framing(layout)
    stream = b"".join(map(framing.frame, BODIES))
    assert framing.feed(stream) == BODIES
    for step in (1, 7, 64):
        found: list[bytes] = []
        for at in range(0, len(stream), step):
            found += framing.feed(stream[at : at + step])
        assert found == BODIES


@pytest.mark.parametrize(
    ("layout", "framed"),
    [
        (FramingLayout(), b"\x00\x04ABCD"),
        (FramingLayout(counts_itself=True), b"\x00\x06ABCD"),
        (FramingLayout(length=Encoding.ASCII, bytes=4), b"0004ABCD"),
        (FramingLayout(length=Encoding.BCD), b"\x00\x04ABCD"),
        (FramingLayout(length=Encoding.EBCDIC, bytes=4), b"\xf0\xf0\xf0\xf4ABCD"),
        (FramingLayout(header="6000"), b"\x00\x06\x60\x00ABCD"),
        (FramingLayout(header="6000", counts_header=False), b"\x00\x04\x60\x00ABCD"),
        (FramingLayout(header="0500000000", total_at=3), b"\x00\x09\x05\0\0\x00\x09ABCD"),
    ],
)
def test_what_stands_before_a_message_is_as_the_layout_says(
    layout: FramingLayout, framed: bytes
) -> None:
    assert Framing(layout).frame(b"ABCD") == framed


def test_a_length_of_zero_is_a_sign_of_life() -> None:
    framing = Framing(FramingLayout())
    assert framing.feed(b"\0\0" + framing.frame(b"ABCD") + b"\0\0") == [b"ABCD"]


def test_messages_before_a_length_that_cannot_be_are_returned_first() -> None:
    framing = Framing(FramingLayout(length=Encoding.ASCII, bytes=4))
    framing = Framing(FramingLayout(length=Encoding.ASCII, bytes=4))
    assert framing.feed(framing.frame(b"ABCD") + b"GET / HTTP/1.1") == [b"ABCD"]
    with pytest.raises(MalformedMessage, match="length before a message"):
        framing.feed(b"")


def test_a_message_that_is_too_long_is_refused_in_both_directions() -> None:
    framing = Framing(FramingLayout(largest=64))
    with pytest.raises(MalformedMessage, match="longer"):
        framing.frame(bytes(65))
    with pytest.raises(MalformedMessage, match="length"):
        framing.feed(b"\xff\xff")
