"""Files that people write: what is refused and why, and where each mistake is."""

from typing import Annotated, Any, TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from gatehouse.core.documents.reading import (
    LARGEST_DOCUMENT,
    DocumentRefused,
    FilePosition,
    Flaw,
    convert_part,
    load_document,
    nearest,
)
from gatehouse.core.stages.outcomes import Outcome

T = TypeVar("T")


class Entry(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(pattern="^[a-z]+$", description="small letters")]
    outcome: Outcome
    final: bool = False
    weight: Annotated[int, Meta(ge=1, le=9)] | None = None
    share: Annotated[float, Meta(gt=0, lt=1)] | None = None
    tags: tuple[str, ...] = ()


class File(msgspec.Struct, frozen=True):
    title: Annotated[str, Meta(min_length=1, max_length=8)]
    entries: Annotated[list[Entry], Meta(max_length=2)] = []
    countries: dict[str, str] = {}


def read_file(content: bytes, kind: type[T]) -> T:
    document = load_document(content)
    value, flaws = convert_part(document, "", document.data, kind)
    if value is None:
        raise DocumentRefused(flaws)
    return value


def flaws_of(content: bytes | str, kind: type = File) -> list[str]:
    with pytest.raises(DocumentRefused) as refused:
        read_file(content.encode() if isinstance(content, str) else content, kind)
    assert str(refused.value).splitlines() == [str(flaw) for flaw in refused.value.flaws]
    return [str(flaw) for flaw in refused.value.flaws]


def test_a_file_becomes_a_struct() -> None:
    content = """\
title: orders
entries:
  - {name: one, outcome: REVIEW, final: True, weight: 7, share: .5, tags: [a, "b"]}
  - name: two
    outcome: ACCEPT
countries: {a: NO, b: on, c: 010, d: 1e3, e: null, f: ~, g: 2001-01-01, h: 12:30:45}
"""
    file = read_file(content.encode(), File)
    one, two = file.entries
    assert one == Entry("one", Outcome.REVIEW, True, 7, 0.5, ("a", "b"))
    assert two == Entry("two", Outcome.ACCEPT)
    assert " ".join(file.countries.values()) == "NO on 010 1e3 null ~ 2001-01-01 12:30:45"


def test_a_mark_at_the_beginning_is_not_part_of_the_file() -> None:
    document = load_document(b"\xef\xbb\xbftitle: x")
    assert document.data == {"title": "x"}
    assert document.place("title") == (1, 8)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    content = """\
titel: x
entries:
  - name: ONE
    outcome: MAYBE
    weight: 12
    share: 1.0
    final: yes
  - outcome: [REVIEW]
    tags: a
    weight: 010.5
"""
    assert flaws_of(content) == [
        "line 1, column 1: title: is required",
        "line 1, column 1: titel: is not known; did you mean title?",
        "line 3, column 11: entries[0].name: must be small letters",
        "line 4, column 14: entries[0].outcome: must be one of ACCEPT, REVIEW, DECLINE",
        "line 5, column 13: entries[0].weight: must be at most 9",
        "line 6, column 12: entries[0].share: must be less than 1",
        "line 7, column 12: entries[0].final: must be true or false",
        "line 8, column 5: entries[1].name: is required",
        "line 8, column 14: entries[1].outcome: must be a single value",
        "line 9, column 11: entries[1].tags: must be a list: lines that begin with `- `, or [a, b]",
        "line 10, column 13: entries[1].weight: must be a whole number",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "line 1, column 1: the file is empty"),
        (b"# nothing but a remark\n", "the file is empty"),
        (b"just words", "must be a mapping"),
        (b"- a\n- b", "must be a mapping"),
        (b"title: x\n---\ntitle: y", "line 2, column 1: holds several documents"),
        (b"title: &a x\n", "line 1, column 8: anchors and aliases"),
        (b"a: *b\n", "line 1, column 4: anchors and aliases"),
        (b"title: !!str x\n", "line 1, column 8: tags"),
        (b"title: !python/object/apply:os.system [ls]\n", "tags"),
        (b"<<: {a: b}\n", "line 1, column 1: merge keys"),
        (b"title: x\na: 1\na: 2\n", "line 3, column 1: a: is given twice, first on line 2"),
        (b"entries:\n\t- a\n", "line 2, column 1: not YAML: a tab cannot be used here"),
        (b"title: [a\n", "or a quote or bracket is open"),
        (b"title: 'a\n", "not YAML: something is missing here, or a quote or bracket"),
        (b"title: a: b\n", "put a text with `: ` in quotes"),
        (b"title: @a\n", "a value cannot begin with '@'"),
        (b"title: x\ny\n", "no `: ` after its key"),
        (b"? [a]\n: b\n", "a key must be a text"),
        (b"title: \xff\n", "line 1, column 8: the file is not UTF-8"),
        (b"\xff\xfet\x00", "not UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00", "line 1, column 1: the character U+007F"),
        (b"title: x\x00", "line 1, column 9: the character U+0000"),
        (b"title: x\nentries: []\rcountries: {}", "line 2, column 12: only LF or CR LF may end"),
        ("# a\u0085title: x".encode(), "line 1, column 4: only LF or CR LF"),
        ("title: 'x\u2028y'".encode(), "line 1, column 10: only LF or CR LF"),
        (b"a: " * 50, "not YAML"),
        (b"title: " + b"[" * 5000, "is nested more than 20 deep"),
        (b"a: [" + b"x," * 30_000 + b"]", "more than 20,000 values"),
        (b"? " + b"k" * 200 + b"\n: v", "a key has at most 128 characters"),
        (b"x" * (LARGEST_DOCUMENT + 1), "larger than 256 KiB"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(content: bytes, says: str) -> None:
    [flaw] = flaws_of(content)
    assert says in flaw


def test_a_bomb_does_not_go_off() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "anchors and aliases" in flaws_of("\n".join(lines))[0]


def test_long_keys_do_not_make_long_paths() -> None:
    # A path repeats the keys above it, so that many entries below a long key would add up.
    content = "? " + "k" * 100_000 + "\n: [" + "x," * 15_000 + "]"
    assert "at most 128" in flaws_of(content)[0]


def test_only_a_hundred_mistakes_are_told() -> None:
    with pytest.raises(DocumentRefused) as refused:
        read_file("\n".join(f"k{n}: x" for n in range(300)).encode(), File)
    assert len(refused.value.flaws) == 100
    assert str(refused.value).endswith("and 201 more")


def test_a_message_does_not_repeat_a_card_number() -> None:
    told = flaws_of("title: x\n4242424242424242: 1\n'4242 4242 4242 4242': {a: 1}\n")
    assert len(told) == 2
    assert "4242" not in str(told)


def test_lengths_are_checked() -> None:
    entry = "{name: a, outcome: ACCEPT}"
    assert flaws_of(f"title: ''\nentries: [{entry}, {entry}, {entry}]") == [
        "line 1, column 8: title: must not be empty",
        "line 2, column 10: entries: must have at most 2 entries, and has 3",
    ]
    assert flaws_of("title: 123456789") == [
        "line 1, column 8: title: must have at most 8 characters"
    ]


@pytest.mark.parametrize(
    "written",
    [
        "k: one > HERE",
        "k: 'it''s > HERE'",
        "k: 'a \\ b > HERE'",
        'k: "a \\"b\\" \\u0041 \\x20 \\t \\\\ > HERE"',
        "k: \"a '' b > HERE\"",
        "k: |\n  one\n    two > HERE\n",
        "k: |2\n    one\n  two > HERE\n",
        "k: >-  # remark\n  one\n  two\n\n  three > HERE\n",
        "k: one\n   two\n   > HERE",
        "k: 'one\n\n   two ''\n   > HERE'",
        'k: "one\n   two \\\n   > HERE"',
        "k: один > HERE",
        "k: 😀 > HERE",
        "k: |\r\n  one\r\n  two > HERE\r\n",
    ],
)
def test_a_position_inside_a_text_is_found_in_the_file(written: str) -> None:
    document = load_document(written.encode())
    line, column = position(document.data["k"])
    place = position(written)
    assert document.offset_place("k", line, column) == place
    # Behind the last character is a place, too: something may be missing there.
    assert document.offset_place("k", line, column + 4) == (place.line, place.column + 4)
    assert document.flaw_inside("k", line, column, "wrong") == Flaw("k", *place, "wrong")


def position(text: str) -> FilePosition:
    before = text[: text.index("HERE")]
    return FilePosition(before.count("\n") + 1, len(before) - before.rfind("\n"))


def test_a_missing_value_is_looked_for_where_it_should_be() -> None:
    document = load_document(b"a:\n  - b: 1\n    c: 2\n")
    assert document.place("a[0].c") == (3, 8)
    assert document.place("a[0].d") == (2, 5)
    assert document.place("z") == (1, 1)
    assert document.offset_place("z", 3, 4) == (1, 1)


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="replace"))
)
def test_any_file_is_read_or_refused(content: bytes) -> None:
    try:
        document = load_document(content)
    except DocumentRefused as refused:
        assert refused.flaws
        return
    assert isinstance(document.data, dict)
    assert all_text(document.data)


@given(st.text("abc:-'\"|>[]{}#&*!?\n\t ,\\", max_size=60), st.integers(0, 9), st.integers(0, 60))
def test_any_position_has_a_place(text: str, line: int, column: int) -> None:
    try:
        document = load_document(f"k: {text}".encode())
    except DocumentRefused:
        return
    place = document.offset_place("k", line, column)
    assert 1 <= place.line <= text.count("\n") + 1
    assert place.column >= 1


def all_text(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and all_text(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(all_text, value))
    return isinstance(value, str)


def test_a_card_number_in_a_file_is_refused_even_in_a_comment() -> None:
    with pytest.raises(DocumentRefused) as refused:
        load_document(b"a: 1\n# 4242 4242 4242 4242\nb: '4111111111111111'\n")
    assert [flaw.line for flaw in refused.value.flaws] == [2, 3]
    assert "4242" not in str(refused.value)
    assert "4111" not in str(refused.value)


@pytest.mark.parametrize("written", ["a[card][number]: x", "a: '[card]'", "a: 1 # [card]"])
def test_the_word_card_in_brackets_is_not_taken_for_a_number(written: str) -> None:
    assert load_document(f"{written}\n".encode()).data
    with pytest.raises(DocumentRefused, match="looks like a card number"):
        load_document(f"{written} 4242424242424242\n".encode())


def test_a_file_of_lists_of_numbers_is_not_taken_for_one_with_cards() -> None:
    content = (
        b"fields: [2, 3, 4, 7, 11, 12, 13, 14, 18, 19, 22, 25, 32, 37]\namount: '000000000000'\n"
    )
    with pytest.raises(DocumentRefused, match="looks like a card number"):
        load_document(content)
    assert load_document(content, lists_of_numbers=True).data["amount"] == "000000000000"


@pytest.mark.parametrize(
    "written",
    [
        'a: "42424242\\\n  42424242"',
        'a: "4242\\x342424242424242"',
        "a: |\n  4242 4242\n  4242 4242\n",
        'b:\n  "4242\\x342424242424242": 1',
    ],
)
def test_a_card_number_is_refused_however_it_is_written(written: str) -> None:
    [told] = flaws_of(written, dict)
    assert "holds what looks like a card number" in told
    assert "4242" not in told


class Keyed(msgspec.Struct, frozen=True):
    inputs: dict[Annotated[str, Meta(pattern="^[a-z]+$", description="small letters")], str]


def test_a_line_break_at_the_end_is_not_overlooked() -> None:
    assert flaws_of('title: x\nentries: [{name: "a\\n", outcome: ACCEPT}]') == [
        "line 2, column 18: entries[0].name: must be small letters"
    ]
    [told] = flaws_of('inputs: {"a\\n": x}', Keyed)
    assert told.endswith("the key must be small letters")


def test_a_guess_is_made_only_when_it_is_near() -> None:
    assert nearest("on-failure", ["on_failure", "fee"]) == "on_failure"
    assert nearest("nothing like it", ["on_failure", "fee"]) is None
    assert nearest("x" * 100_000, ["fee"]) is None
