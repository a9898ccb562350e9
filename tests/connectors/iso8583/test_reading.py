"""Dialect files: what is refused, and where in the file it stands."""

import random
import re

import msgspec
import pytest

from gatehouse.connectors.iso8583.definition import DialectDefinition
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.reading import read_dialect, shipped_dialect, shipped_names
from gatehouse.connectors.iso8583.roles import MessageKind
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.errors import InvalidInput
from tests.connectors.iso8583.samples import DIALECTS, values_for

SMALL = """\
dialect: small
about: The least that can be used
messages:
  check:
    mti: "0100"
    values: {processing_code: "000000"}
    fields: [2, 3, 11, 41]
  check_answer:
    mti: "0110"
    requires: [response_code]
    fields: [11, 39]
parameters:
  terminal: {default: T1, about: Terminal}
fields:
  2: {format: n..19, role: number}
  3: {format: n6, role: processing_code}
  11: {format: n6, role: stan}
  39: {format: an2, role: response_code}
  41: {format: ans8, parameter: terminal}
  48: {format: ans...999}
"""


@pytest.mark.parametrize("name", shipped_names())
def test_a_definition_is_the_same_after_it_was_json(name: str) -> None:
    definition = shipped_dialect(name)
    again = msgspec.json.decode(msgspec.json.encode(definition), type=DialectDefinition)
    assert again == definition
    kind = MessageKind.CHECK
    values = values_for(DIALECTS[name], kind)
    assert Dialect(again).pack(kind, values) == DIALECTS[name].pack(kind, values)


def test_a_name_that_does_not_ship_is_refused_with_those_that_do() -> None:
    with pytest.raises(InvalidInput, match="no dialect visa; there are base-one, reference"):
        shipped_dialect("visa")


def test_the_least_dialect_can_be_used() -> None:
    assert Dialect(read_dialect(SMALL.encode())).kinds == {
        MessageKind.CHECK,
        MessageKind.CHECK_ANSWER,
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("n..19", "n.19", "line 15, column 15: fields.2.format: must be such as n6"),
        ("n..19", "n..190", "fields.2.format: 2 digits of length do not reach 190"),
        ("role: number", "role: numbr", "line 15, column 28: fields.2.role: must be one of number"),
        ("role: number", "rolle: number", "fields.2.rolle: is not known; did you mean role?"),
        ("  2: {", "  129: {", "fields.129: a field has a number from 2 to 128"),
        ("41: {format: ans8", "41: {encoding: bcd, format: ans8", "of ans must be ascii or ebcdic"),
        ("format: n6, role: stan", "format: n6, counted_in: bytes, role: stan", "format is fixed"),
        ("n..19, role", "n..19, pad: left, role", "fields.2.pad: is of no use"),
        ("parameter: terminal", "parameter: tid", "fields.41: the parameter tid is not listed"),
        (
            "default: T1",
            "default: TOO LONG 1",
            "terminal.default: does not fit: field 41 is longer",
        ),
        ("role: stan", 'role: stan, value: "1"', "fields.11.value: is always written"),
        ("[2, 3, 11, 41]", "[2, 3, 11, 42]", "messages.check.fields[3]: is not among the fields"),
        ("[2, 3, 11, 41]", "[2, 3, 11, 3]", "messages.check.fields[3]: is listed twice"),
        ("[2, 3, 11, 41]", "[2, 3]", "messages.check.fields: need one with the role stan"),
        ('"0100"', '"100"', "line 5, column 10: messages.check.mti: must be four digits"),
        ('"000000"', '"0"', "messages.check.values.processing_code: must be written as the field"),
        ('"000000"', '"x00000"', "values.processing_code: does not fit"),
        ("[response_code]", "[rrn]", "check_answer.requires[0]: no field of this message has"),
        ("values: {proc", "values: {rrn: x, proc", "check.values.rrn: no field of this message"),
        ("check_answer:", "echo_answer:", "messages.check: needs check_answer"),
        ("check:", "authorize:", "messages.authorize: needs reverse or reverse_advice"),
        ("ans...999}", "ans...999, tags: {entries: {T: {format: n1}}}}", "tag_bytes bytes: 2"),
        ("ans...999}", "ans20, tags: {entries: {T1: {format: n1}}}}", "must be variable"),
        ("ans...999}", "ans...999, tags: {before: é, entries: {T1: {format: n1}}}}", "ASCII"),
        ("ans...999}", "n...999, tags: {entries: {T1: {format: n1}}}}", "must be ans or b"),
        ("ans...999}", "b...99, bitmap: {bytes: 1, fields: {9: {format: n1}}}}", "only 8 bits"),
        ("ans...999}", "ans5, parts: [{format: ans2}]}", "have 2 characters, and the field has 5"),
        ("ans...999}", "ans..5, parts: [{format: ans..2}, {format: n3}]}", "must be fixed: only"),
        ("ans...999}", "b...5, parts: [{format: n5}]}", "need a field of characters"),
        ("ans...999}", "n5, parts: [{format: b5}]}", "parts[0].format: must be n, a, an or ans"),
        (
            "ans...999}",
            "n5, role: rrn, parts: [{format: n5}]}",
            "without role, parameter and value",
        ),
        ("about: The", "framing: {length: hex}\nabout: The", "framing.length: must be binary"),
        ("about: The", "framing: {length: bcd, bytes: 2, largest: 9999}\nabout: The", "too few"),
        ("about: The", "framing: {total_at: 3}\nabout: The", "total_at: must be inside the header"),
        ("about: The", "framing: {header_length_first: true}\nabout: The", "first: needs a header"),
        (
            "about: The",
            "framing: {bytes: 4, largest: 65535, header: '0000', total_at: 0}\nabout: The",
            "framing.largest: leaves no room",
        ),
        ("about: The", "encoding: {text: bcd}\nabout: The", "encoding.text: must be ascii or"),
        ("about: The", "codes: {rrn: [a]}\nabout: The", "codes.rrn: must be a mapping"),
    ],
)
def test_a_mistake_is_named_with_its_place(old: str, new: str, said: str) -> None:
    assert old in SMALL
    content = SMALL.replace(old, new, 1).encode()
    with pytest.raises(DocumentRefused, match=re.escape(said)):
        read_dialect(content)


def test_two_kinds_that_nothing_tells_apart_are_refused() -> None:
    twin = '  echo: {mti: "0110", fields: [11, 39]}\n  echo_answer: {mti: "0810", fields: [11]}\n'
    content = SMALL.replace("parameters:", twin + "parameters:", 1)
    with pytest.raises(
        DocumentRefused, match=r"messages.echo: has the mti and values of check_ans"
    ):
        read_dialect(content.encode())


def test_whatever_stands_in_a_file_it_is_read_or_refused() -> None:
    """Words of a file change places; some results are dialects, none is a failure."""
    chance = random.Random(17)
    words = [*re.findall(r"[\w.]+", SMALL), "bcd", "hex", "9", "[]", "{}", "x", "parts", "tags"]
    outcomes = {"read": 0, "refused": 0}
    for _ in range(150):
        text = SMALL
        for _ in range(chance.randint(1, 3)):
            [found] = chance.sample(list(re.finditer(r"[\w.]+", text)), 1)
            text = text[: found.start()] + chance.choice(words) + text[found.end() :]
        try:
            Dialect(read_dialect(text.encode()))
            outcomes["read"] += 1
        except DocumentRefused:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0
