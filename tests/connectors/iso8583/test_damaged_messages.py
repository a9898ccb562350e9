"""Whatever arrives is a message or a `MalformedMessage`; what we pack comes back as it was."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts.fuzz_iso8583 import run

from gatehouse.connectors.iso8583.definition import FramingLayout
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.field_layout import FieldLayout, leaves_of
from gatehouse.connectors.iso8583.layout.formats import parse_format
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from tests.connectors.iso8583.samples import CARD, DIALECTS, values_for

_LETTERS = {
    "n": string.digits,
    "a": string.ascii_letters,
    "an": string.ascii_letters + string.digits,
    "ans": string.ascii_letters + string.digits + string.punctuation,
    "b": string.digits + "ABCDEF",
}


def test_damaged_messages_of_all_kinds_are_read_or_refused() -> None:
    outcomes = run(600, seed=17)
    for name in DIALECTS:
        assert outcomes[f"{name}: read"] > 10
        assert outcomes[f"{name}: field"] > 100


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400))
def test_any_bytes_behind_a_type_are_read_or_refused(name: str, data: bytes) -> None:
    dialect = DIALECTS[name]
    head = dialect.pack(MessageKind.ECHO, {Role.STAN: "1"})[: 2 if name == "base-one" else 4]
    for message in (data, head + data):
        try:
            dialect.unpack(message)
        except MalformedMessage as refused:
            assert refused.__context__ is None


@given(data=st.binary(max_size=300), size=st.integers(1, 50))
@settings(max_examples=50, deadline=None)
def test_any_stream_is_cut_or_refused_and_nothing_beyond_the_largest_is_kept(
    data: bytes, size: int
) -> None:
    framing = Framing(FramingLayout(largest=64))
    try:
        for at in range(0, len(data), size):
            assert all(len(message) <= 64 + 255 for message in framing.feed(data[at : at + size]))
    except MalformedMessage:
        pass
    assert len(framing._kept) <= 64 + 255 + 2


def _text_for(leaf: FieldLayout) -> st.SearchStrategy[str]:
    """Values that fill their place as it can come back: fixed digits are given whole."""
    kind, dots, size = parse_format(leaf.format)
    if kind == "b":
        return st.text(_LETTERS[kind], min_size=2 * size, max_size=2 * size)
    least = size if kind == "n" and not dots else 1
    return st.text(_LETTERS[kind], min_size=least, max_size=size)


def _values(dialect: Dialect, kind: MessageKind) -> st.SearchStrategy[dict[Role, str]]:
    message = dialect.definition.messages[kind]
    places = {
        leaf.role: _text_for(leaf)
        for number in message.fields
        for leaf in leaves_of(dialect.definition.fields[number])
        if leaf.role is not None and leaf.role not in message.values
    }
    needed = {role: places.pop(role) for role in message.requires if role in places}
    return st.fixed_dictionaries(needed, optional=places)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name in DIALECTS
        for kind in (MessageKind.CHECK, MessageKind.AUTHORIZE_ANSWER, MessageKind.REVERSE)
    ],
)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_values_come_back_as_they_were_packed(
    name: str, kind: MessageKind, data: st.DataObject
) -> None:
    dialect = DIALECTS[name]
    values = data.draw(_values(dialect, kind))
    found = dialect.unpack(dialect.pack(kind, values)).values
    assert {role: found.get(role) for role in values} == values


@pytest.mark.parametrize("name", DIALECTS)
def test_no_refusal_tells_what_the_message_held(name: str) -> None:
    dialect = DIALECTS[name]
    packed = dialect.pack(MessageKind.CHECK, values_for(dialect, MessageKind.CHECK))
    for at in range(len(packed)):
        for damaged in (packed[:at] + b"\xff" + packed[at + 1 :], packed[:at] + packed[at + 1 :]):
            try:
                dialect.unpack(damaged)
            except MalformedMessage as refused:
                said = f"{refused} {refused!r} {refused.args}"
                assert not any(held in said for held in (CARD, CARD[:8], "Downing", "O'Neill"))
