"""The reader of files: lines counted and limited, gzip or plain, bad records by their line."""

import gzip
import io
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import FileLimits, LineFlaws, LineReader, Position, UnreadableFile
from gatehouse.core.files.records import (
    BadRow,
    Columns,
    FieldProblem,
    ParsedRow,
    RecordFile,
    UnusableRecord,
)

LINES = b"one\r\n\n" + b"x" * 20 + b"\nlast"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_are_counted_and_a_long_one_is_left_out(pack: Callable[[bytes], bytes]) -> None:
    reader = LineReader(io.BytesIO(pack(b"\xef\xbb\xbf" + LINES)), 10)
    found = [(line.number, line.data, line.complete) for line in reader]
    assert found == [
        (1, b"one\r\n", True),
        (2, b"\n", True),
        (3, b"", False),
        (4, b"last", True),
    ]
    assert reader.at == Position(4, len(LINES) + 3)


@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
def test_a_file_is_read_again_from_any_line_on(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(LINES) if name == "a.gz" else LINES)
    reader = LineReader.open(path, 100)
    places = [reader.at, *(reader.at for _ in reader)]
    assert (reader.size, reader.bytes_read) == (path.stat().st_size,) * 2
    for number, place in enumerate(places):
        reader.go_to(place)
        if place.offset:
            assert [line.number for line in reader] == [1, 2, 3, 4][number:]
    reader.close()


def test_lines_that_are_given_back_are_taken_again() -> None:
    reader = LineReader(io.BytesIO(LINES), 100)
    first = reader.take()
    second = reader.take()
    assert first is not None
    assert second is not None
    reader.give_back([first, second])
    assert reader.at == Position()
    assert [line.number for line in reader] == [1, 2, 3, 4]


def test_what_cannot_be_read_is_named_by_its_line(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(b"%d\n" % number for number in range(9999)))[:-999]
    with pytest.raises(UnreadableFile, match=r"cannot be read after line \d+: it is damaged"):
        list(LineReader(io.BytesIO(packed), 100))
    with pytest.raises(UnreadableFile, match="after line 0: it is damaged"):
        LineReader(io.BytesIO(b"plain"), 100, packed=True)
    with pytest.raises(InvalidInput, match="UTF-16"):
        LineReader(io.BytesIO("one".encode("utf-16")), 100)
    with pytest.raises(InvalidInput, match=r"cannot read .*nowhere: No such file"):
        LineReader.open(tmp_path / "nowhere", 100)


LIMITS = FileLimits(lines=4, unpacked_bytes=1024)


def _packed(*contents: bytes) -> bytes:
    return b"".join(gzip.compress(each, mtime=0) for each in contents)


@pytest.mark.parametrize(
    "content",
    [
        _packed(LINES),
        _packed(LINES[:5], LINES[5:]),
        _packed(LINES) + b"\0" * 300,
        _packed(b"", LINES),
        LINES,
    ],
    ids=["one", "two members", "filled up", "empty member", "plain"],
)
def test_within_limits_a_file_is_read_as_without(content: bytes) -> None:
    limited = LineReader(io.BytesIO(content), 100, limits=LIMITS)
    assert [*limited] == [*LineReader(io.BytesIO(content), 100)]


@pytest.mark.parametrize(
    "content",
    [
        b"\n" * 5,
        b"x" * 1025,
        _packed(b"\n" * 5),
        _packed(b"\n" * 10_000_000),
        _packed(b"x" * 10_000_000),
        _packed(*[b"x" * 512] * 3),
        _packed(b"") * 10_001,
    ],
    ids=["lines", "bytes", "packed", "many lines", "long line", "sum", "members"],
)
def test_a_file_beyond_its_limits_is_refused_wherever_they_are_passed(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="more than 4 lines"):
        list(LineReader(io.BytesIO(content), 100, limits=LIMITS))


@pytest.mark.parametrize(
    "content",
    [_packed(LINES)[:-9], _packed(LINES) + b"x", b"\x1f\x8b"],
    ids=["cut off", "followed", "mark"],
)
def test_damage_is_told_from_size(content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="it is damaged"):
        LineReader(io.BytesIO(content), 100, limits=LIMITS)


def test_standard_input_has_no_size_and_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.TextIOWrapper(io.BytesIO(LINES))
    monkeypatch.setattr(sys, "stdin", typed)
    reader = LineReader.open(None, 100)
    assert (reader.size, len(list(reader)), reader.bytes_read) == (None, 4, len(LINES))
    reader.close()
    assert not typed.closed


def parse(fields: Mapping[str, Any]) -> str:
    if fields["a"] == "bad":
        raise ValueError("is bad")
    if fields["a"] == "worse":
        raise UnusableRecord([FieldProblem("a", "is bad"), FieldProblem("b", "is worse")])
    return str(fields["a"])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b'A,b\n1,\n"bad\n2,\nbad,\nworse,\n1,2,3\n"3",\n'),
        ("a.jsonl", b'\n{"a":1}\n"bad"\n{"a":2}\n{"a":"bad"}\n{"a":"worse"}\n{"a"}\n{"a":3}\n'),
    ],
)
def test_a_bad_record_costs_its_line_and_the_others_are_given(
    tmp_path: Path, name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    columns = Columns(("a", "b"), (("a",),))
    with closing(RecordFile(path, "csv" if name == "a.csv" else "jsonl", columns)) as file:
        rows = list(file.rows(parse))
    good = [row for row in rows if isinstance(row, ParsedRow)]
    bad = [row for row in rows if isinstance(row, BadRow)]
    assert good == [(2, "1"), (4, "2"), (8, "3")]
    assert [row.line for row in bad] == [3, 5, 6, 7]
    assert bad[1] == BadRow.whole(5, "is bad")
    assert bad[2].problems == [("a", "is bad"), ("b", "is worse")]
    assert all("worse" not in problem.reason for row in bad[::3] for problem in row.problems)


def test_all_flaws_are_counted_and_the_first_twenty_are_reported() -> None:
    flaws = LineFlaws()
    for line in range(1, 26):
        flaws.add(line, "is bad")
    assert flaws.bad == 25
    lines = flaws.report().splitlines()
    assert lines[0] == "  line 1: is bad"
    assert lines[-1] == "  and 5 others"
    assert len(lines) == 21
