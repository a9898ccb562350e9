"""Files with entries for a list: what is read out of them, and which lines are refused."""

import io
from typing import Any

import pytest

from gatehouse.admin.lists.use_cases import list_files
from gatehouse.admin.lists.use_cases.list_files import (
    EntryTerms,
    ListFileContent,
    ListFormat,
    expiry,
    read_entries,
    usual_format,
)
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.rules.list_entries import ListKind
from tests.rules.test_lists import HASHER

NOW = 1_800_000_000_000
DAY = 86_400_000


def read(
    data: bytes, kind: ListKind = ListKind.WORDS, form: ListFormat = "csv", **more: Any
) -> ListFileContent:
    return read_entries(io.BytesIO(data), form, EntryTerms(kind, HASHER, NOW, **more))


def test_values_reasons_and_expiries_are_read_from_a_file() -> None:
    found = read(
        b'a,first\n"b, c","he said ""no""",2030-01-01\n a ,second, 30d \n'
        b"d,,2030-01-01T02:00+02:00\n",
        reason="usual",
        expires_at_ms=NOW + 5,
    )
    assert found.read == 4
    assert [(one.value, one.reason, one.expires_at_ms) for one in found.entries.values()] == [
        ("a", "second", NOW + 30 * DAY),
        ("b, c", 'he said "no"', 1_893_456_000_000),
        ("d", "usual", 1_893_456_000_000),
    ]


def test_a_header_says_the_order_of_columns() -> None:
    found = read(b"Expires,Value\n1d,a\n,b\n")
    assert [(one.value, one.expires_at_ms) for one in found.entries.values()] == [
        ("a", NOW + DAY),
        ("b", None),
    ]
    for header in (b"value,colour\n", b"value,value\n", b"reason,expires\n"):
        with pytest.raises(InvalidInput, match="header"):
            read(header)


def test_words_and_users_may_hold_commas_and_hashes_are_no_comments() -> None:
    hashed = "#" + "0f" * 10
    found = read(f"Acme, Inc.\n# comment\n#not a hash\n{hashed}\n".encode(), form="lines")
    assert list(found.entries) == ["Acme, Inc.", hashed]
    found = read(f"{hashed},why\n#0f\n".encode(), ListKind.USERS)
    assert [(one.value, one.reason) for one in found.entries.values()] == [(hashed, "why")]
    assert usual_format("a.txt", ListKind.WORDS) == "lines"
    assert usual_format("-", ListKind.USERS) == "lines"
    assert usual_format("a.CSV", ListKind.WORDS) == "csv"
    assert usual_format("a.txt", ListKind.NETWORKS) == "csv"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"\xff\xfe\x00"[::-1], "UTF-8"),
        (b"x" * 5000, "longer than 4096 bytes"),
        (b"x" * 4097, "longer than 4096 bytes"),
        (b'"a', "quotation marks"),
        (b'"a"b', "quotation marks"),
        (b"a,b,c,d", "has 4 cells"),
        (b"a,b,tomorrow", "must expire after a span"),
        # Whoever looked at the list was answered 500: no text can be written of that year.
        (b"a,b,9999-12-31T23:59:59-23:59", "must expire after a span"),
        (b"a,b,2020-01-01", "has expired already"),
        (b"a,b,0d", "has expired already"),
        (b"a," + b"r" * 201, "200 characters"),
        (b",reason", "is empty"),
        (b"a\x00b", "control"),
        (b"\xed\xa0\x80", "UTF-8"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_others_are_read(
    line: bytes, says: str
) -> None:
    found = read(b"good\n" + line + b"\nbetter\n")
    assert list(found.entries) == ["good", "better"]
    assert [(flaw.line, says in flaw.message) for flaw in found.flaws] == [(2, True)]
    assert found.bad == 1


def test_the_first_twenty_bad_lines_are_shown_and_the_others_counted() -> None:
    found = read(b"x\n" * 50, ListKind.BINS)
    assert (found.bad, len(found.flaws)) == (50, 20)
    lines = found.report().splitlines()
    assert len(lines) == 21
    assert lines[0].startswith("  line 1: ")
    assert lines[-1] == "  and 30 others"


def test_a_file_that_no_list_can_hold_is_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "MOST_ENTRIES", 3)
    assert len(read(b"a\nb\nc\na\nb\n").entries) == 3
    with pytest.raises(InvalidInput, match="more than 3 different"):
        read(b"a\nb\nc\nd\n")
    with pytest.raises(InvalidInput, match="UTF-16"):
        read("a".encode("utf-16"))
    assert read(b"").entries == {}


def test_an_expiry_is_a_span_or_a_time() -> None:
    assert expiry("90m", NOW) == NOW + 90 * 60_000
    assert expiry("2030-01-01T00:00:00Z", NOW) == expiry("2030-01-01", NOW)
    latest = expiry("9999-12-31T23:59:59.999999Z", NOW)
    assert latest == 253_402_300_799_999
    # Earlier versions kept what lies behind it, and such a list is looked at all the same.
    assert iso_time(latest + 1) == iso_time(latest) == "9999-12-31T23:59:59.999Z"
