"""How fields can be written: encodings, lengths, fillers, parts, tags and bitmaps of their own."""

import pytest

from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.reading import read_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role

BITMAP = "0000010000000002"
"""Fields 24 and 63."""


def _dialect(field: str, encoding: str = "", more: str = "") -> Dialect:
    text = f"""\
dialect: one-field
about: A stan in field 24 and one field more
encoding: {{{encoding}}}
messages:
  echo: {{mti: "0800", fields: [24, 63]}}
  echo_answer: {{mti: "0810", fields: [24, 63]}}
fields:
  24: {{format: n6, role: stan}}
  63: {{{field}}}
{more}"""
    return Dialect(read_dialect(text.encode()))


def _content(dialect: Dialect, values: dict[Role, str]) -> bytes:
    """The bytes of the field; a message must also come back."""
    values = {**values, Role.STAN: "000001"}
    packed = dialect.pack(MessageKind.ECHO, values)
    assert dialect.unpack(packed).values == values
    without = dialect.pack(MessageKind.ECHO, {Role.STAN: "000001"})
    return packed[len(without) :]


@pytest.mark.parametrize(
    ("field", "encoding", "value", "written"),
    [
        ("format: n6", "", "000042", b"000042"),
        ("format: n..6", "", "42", b"0242"),
        ("format: n...6", "", "42", b"00242"),
        ("format: n5", "numbers: bcd", "00042", b"\x00\x00\x42"),
        ("format: n5, pad: right", "numbers: bcd", "10042", b"\x10\x04\x2f"),
        ("format: n6", "numbers: ebcdic", "000042", b"\xf0\xf0\xf0\xf0\xf4\xf2"),
        ("format: n..6", "numbers: bcd", "123", b"03\x01\x23"),
        ("format: n..6", "numbers: bcd, length: bcd", "123", b"\x03\x01\x23"),
        ("format: n...6", "numbers: bcd, length: bcd", "123", b"\x00\x03\x01\x23"),
        ("format: n..6", "numbers: bcd, length: binary", "123", b"\x03\x01\x23"),
        ("format: n..6, length_bytes: 2", "numbers: bcd, length: binary", "12", b"\x00\x02\x12"),
        ("format: n..6, counted_in: bytes", "numbers: bcd", "1234", b"02\x12\x34"),
        ("format: n..6, counted_in: bytes, encoding: bcd", "", "1234", b"02\x12\x34"),
        ("format: n..20", "numbers: bcd, length: ebcdic", "12", b"\xf0\xf2\x12"),
        ("format: ans...300", "length: binary", "ab", b"\x00\x02ab"),
        ("format: ans4", "", "a", b"a   "),
        ("format: ans4, pad: left", "", "a", b"   a"),
        ("format: an4", "text: ebcdic", "A1", b"\xc1\xf1\x40\x40"),
        ("format: ans..4", "text: ebcdic, code_page: cp500", "!", b"01\x4f"),
        ("format: ans..4", "text: ebcdic, code_page: cp037", "!", b"01\x5a"),
        ("format: b2", "", "0AFF", b"\x0a\xff"),
        ("format: b..2", "", "0A", b"01\x0a"),
        ("format: b2, encoding: hex", "", "0AFF", b"0AFF"),
        ("format: b..2", "binary: hex", "0A", b"020A"),
        ("format: b..2, counted_in: bytes", "binary: hex", "0A", b"010A"),
        ("format: b2", "binary: hex, text: ebcdic", "0AFF", b"\xf0\xc1\xc6\xc6"),
        ("format: z..37", "", "4242=2812", b"094242=2812"),
        ("format: z..37", "numbers: bcd", "4242=2812", b"09\x04\x24\x2d\x28\x12"),
    ],
)  # fmt: skip
def test_a_value_is_written_as_its_format_and_encoding_say(
    field: str, encoding: str, value: str, written: bytes
) -> None:
    dialect = _dialect(f"{field}, role: terminal_id", encoding)
    assert _content(dialect, {Role.TERMINAL_ID: value}) == written


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("", b"0800" + bytes.fromhex(BITMAP)),
        ("bitmap: hex", b"0800" + BITMAP.encode()),
        ("mti: bcd", b"\x08\x00" + bytes.fromhex(BITMAP)),
        ("mti: ebcdic, bitmap: hex", f"0800{BITMAP}".encode("cp037")),
    ],
)
def test_the_head_of_a_message_is_as_the_encoding_says(encoding: str, head: bytes) -> None:
    dialect = _dialect("format: n1, role: terminal_id", encoding)
    values = {Role.STAN: "000001", Role.TERMINAL_ID: "7"}
    packed = dialect.pack(MessageKind.ECHO, values)
    assert packed == head + b"0000017"
    assert dialect.unpack(packed).values == values


@pytest.mark.parametrize(
    ("tags", "written"),
    [
        ("", b"16T102N1Q206Jo Doe"),
        ("length_bytes: 3, ", b"18T1002N1Q2006Jo Doe"),
        ("length: binary, length_bytes: 1, ", b"14T1\x02N1Q2\x06Jo Doe"),
        ("length: bcd, length_bytes: 2, ", b"16T1\x00\x02N1Q2\x00\x06Jo Doe"),
    ],
)
def test_tags_and_their_lengths_have_several_widths(tags: str, written: bytes) -> None:
    entries = "T1: {format: an2, role: eci}, Q2: {format: ans..20, role: holder_name}"
    dialect = _dialect(f"format: ans..99, tags: {{{tags}entries: {{{entries}}}}}")
    assert _content(dialect, {Role.ECI: "N1", Role.HOLDER_NAME: "Jo Doe"}) == written


def test_tags_may_be_bytes_inside_a_dataset() -> None:
    inner = (
        "{tag: binary, tag_bytes: 1, length: binary, length_bytes: 1, entries: {"
        "C0: {format: ans..9, role: postal_code}, CF: {format: ans..40, role: street}}}"
    )
    dialect = _dialect(
        "format: b...255, tags: {tag: binary, tag_bytes: 1, length: binary, length_bytes: 2, "
        f"entries: {{'66': {{format: b...250, tags: {inner}}}}}}}",
        "text: ebcdic, length: binary",
    )
    written = _content(dialect, {Role.POSTAL_CODE: "1A", Role.STREET: "x"})
    assert written == b"\x0a\x66\x00\x07\xc0\x02\xf1\xc1\xcf\x01\xa7"


def test_tags_may_be_those_of_emv() -> None:
    entries = "9F02: {format: n12, role: amount}, '5A': {format: ans...300, role: street}"
    dialect = _dialect(
        f"format: b...999, tags: {{ber: true, entries: {{{entries}}}}}", "numbers: bcd"
    )
    street = "s" * 200
    written = _content(dialect, {Role.AMOUNT: "000000000100", Role.STREET: street})
    assert written == b"212\x9f\x02\x06\0\0\0\0\x01\0\x5a\x81\xc8" + street.encode()
    street = "s" * 300
    written = _content(dialect, {Role.STREET: street})
    assert written == b"304\x5a\x82\x01\x2c" + street.encode()


def test_tags_that_are_not_listed_are_skipped_and_broken_ones_refused() -> None:
    dialect = _dialect("format: ans..99, tags: {entries: {T1: {format: an2, role: eci}}}")
    head = b"0810" + bytes.fromhex(BITMAP) + b"000001"
    found = dialect.unpack(head + b"17ZZ03abcT10205ZZ00")
    assert found.values[Role.ECI] == "05"
    for broken in (b"02T1", b"05T102x", b"03T1x", b"06T1+2ab", b"08T10405xy"):
        with pytest.raises(MalformedMessage, match=r"^field 63"):
            dialect.unpack(head + broken)


def test_fields_may_stand_behind_a_bitmap_of_their_own() -> None:
    fields = "1: {format: n3}, 2: {format: n..3, role: eci}, 16: {format: ans2, role: par}"
    dialect = _dialect(f"format: b...99, bitmap: {{bytes: 2, fields: {{{fields}}}}}")
    assert _content(dialect, {Role.ECI: "07", Role.PAR: "ab"}) == b"008\x40\x010207ab"
    head = b"0810" + bytes.fromhex(BITMAP) + b"000001"
    assert dialect.unpack(head + b"011\xc0\x011230207ab").values[Role.ECI] == "07"
    # What follows a field that is not listed has no place that is known.
    later = dialect.unpack(head + b"011\x60\x010207zzzab").values
    assert (later[Role.ECI], later.get(Role.PAR)) == ("07", None)
    for broken in (b"001\x40", b"004\x40\x0003", b"009\x40\x010207abc"):
        with pytest.raises(MalformedMessage, match=r"^field 63"):
            dialect.unpack(head + broken)


def test_parts_that_are_absent_are_blank_and_left_out_at_the_end() -> None:
    parts = (
        "[{format: a1, role: avs_result}, {format: n2, value: '99'}, "
        "{format: an2, role: eci}, {format: ans..9, role: street}]"
    )
    dialect = _dialect(f"format: ans..14, parts: {parts}")
    assert _content(dialect, {Role.AVS_RESULT: "Y"}) == b"01Y"
    assert _content(dialect, {Role.ECI: "05"}) == b"05 9905"
    assert _content(dialect, {Role.STREET: "High St"}) == b"12 99  High St"
    assert _content(dialect, {}) == b""
    head = b"0810" + bytes.fromhex(BITMAP) + b"000001"
    with pytest.raises(MalformedMessage, match="field 63 has a part with characters"):
        dialect.unpack(head + b"017")


def test_a_host_s_own_codes_are_turned_into_those_of_our_tables() -> None:
    codes = "codes: {response_code: {'1A': '05', 'ZZ': '05', 'OK': '00'}}\n"
    dialect = _dialect("format: an2, role: response_code", more=codes)
    head = b"0810" + bytes.fromhex(BITMAP) + b"000001"
    for sent, meant in {b"1A": "05", b"ZZ": "05", b"OK": "00", b"51": "51"}.items():
        assert dialect.unpack(head + sent).values[Role.RESPONSE_CODE] == meant
    values = {Role.STAN: "000001", Role.RESPONSE_CODE: "00"}
    assert dialect.pack(MessageKind.ECHO_ANSWER, values) == head + b"OK"


def test_a_field_without_a_role_is_not_looked_at() -> None:
    dialect = _dialect("format: ans..20")
    head = b"0810" + bytes.fromhex(BITMAP) + b"000001"
    assert dialect.unpack(head + b"03\x00\xff\x1d").values == {Role.STAN: "000001"}
