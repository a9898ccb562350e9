"""What a dialect file says, as values that encode to JSON and back."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from gatehouse.connectors.iso8583.layout.field_layout import (
    FieldLayout,
    FieldNumber,
    Name,
    Text,
    parameters_of,
    roles_of,
)
from gatehouse.connectors.iso8583.layout.formats import CodePage, CountedIn, Encoding
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.api_values import doc
from gatehouse.core.reading.validation import Checked
from gatehouse.gateway.stored_credential import CredentialKind

LARGEST_MESSAGE: Final = 65_535

Hex = Annotated[str, doc("bytes in hexadecimal digits", pattern=r"(?:[0-9A-Fa-f]{2}){0,64}")]
Mti = Annotated[str, doc("four digits", pattern=r"[0-9]{4}")]


class EncodingLayout(Checked, Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How everything is written where a field has no encoding of its own."""

    mti: Encoding = Encoding.ASCII
    bitmap: Encoding = Encoding.BINARY
    numbers: Encoding = Encoding.ASCII
    text: Encoding = Encoding.ASCII
    binary: Encoding = Encoding.BINARY
    length: Encoding = Encoding.ASCII
    counted_in: CountedIn = CountedIn.CHARACTERS
    code_page: CodePage = CodePage.CP037

    def problems(self) -> Iterator[tuple[str, str]]:
        """Not everything can be written in every way."""
        for name, allowed in _ENCODINGS.items():
            chosen = getattr(self, name)
            if isinstance(chosen, Encoding) and chosen not in allowed:
                yield name, f"must be {' or '.join(allowed)}"


_CHARACTERS: Final = (Encoding.ASCII, Encoding.EBCDIC)
_ENCODINGS: Final = {
    "mti": (*_CHARACTERS, Encoding.BCD),
    "bitmap": (Encoding.BINARY, Encoding.HEX),
    "numbers": (*_CHARACTERS, Encoding.BCD),
    "text": _CHARACTERS,
    "binary": (Encoding.BINARY, Encoding.HEX),
    "length": (*_CHARACTERS, Encoding.BCD, Encoding.BINARY),
}


class FramingLayout(Checked, Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What stands before each message on a connection."""

    length: Encoding = Encoding.BINARY
    bytes: Annotated[int, Meta(ge=2, le=8)] = 2
    counts_itself: bool = False
    counts_header: bool = True
    after_length: Hex = ""
    """Bytes between the length and the header, such as 0000, which the length does not count."""
    header: Hex = ""
    header_length_first: bool = False
    """Whether a header that is received begins with its own length, which may then differ."""
    total_at: Annotated[int, Meta(ge=0, le=62)] | None = None
    """Where in the header the length of header and message stands, in two bytes."""
    largest: Annotated[int, Meta(ge=64, le=LARGEST_MESSAGE)] = 8_192

    def problems(self) -> Iterator[tuple[str, str]]:
        """Numbers must fit into the length."""
        if self.length is Encoding.HEX:
            yield "length", "must be binary, ascii, bcd or ebcdic"
        if not isinstance(self.header, str):
            return
        header = len(self.header) // 2
        if isinstance(self.total_at, int) and self.total_at + 2 > header:
            yield "total_at", "must be inside the header"
        if self.header_length_first is True and not header:
            yield "header_length_first", "needs a header"
        if self.total_at is not None and self.largest == LARGEST_MESSAGE:
            yield "largest", "leaves no room for the header in the two bytes of total_at"
        if isinstance(self.bytes, int) and isinstance(self.largest, int):
            digits = {Encoding.BINARY: 256, Encoding.BCD: 100}.get(self.length, 10)
            if digits**self.bytes <= self.largest + self.bytes + header:
                yield "bytes", "are too few for the largest message and what stands before it"


class MessageLayout(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kind of message: its type indicator, its fields, and what tells it from others."""

    mti: Mti
    fields: Annotated[tuple[FieldNumber, ...], Meta(min_length=1, max_length=127)]
    values: dict[Role, Text] = {}
    """Values that every message of this kind has: written by us, and recognized in what comes."""
    requires: tuple[Role, ...] = ()


class ParameterLayout(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A constant that an operator may choose."""

    default: Text
    about: Text


class DialectDefinition(
    Checked, Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A whole dialect."""

    dialect: Name
    about: Text
    fields: Annotated[dict[FieldNumber, FieldLayout], Meta(min_length=2, max_length=127)]
    messages: Annotated[dict[MessageKind, MessageLayout], Meta(min_length=2)]
    encoding: EncodingLayout = EncodingLayout()
    framing: FramingLayout = FramingLayout()
    parameters: Annotated[dict[Name, ParameterLayout], Meta(max_length=50)] = {}
    stored_credentials: dict[CredentialKind, dict[Role, Text]] = {}
    """What authorizations with a stored card have in other places than their kind's own."""
    codes: dict[Role, dict[Text, Text]] = {}
    """The host's own codes, and the codes of our tables that they stand for."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """What messages and fields name must be there."""
        if not all(isinstance(each, dict) for each in (self.fields, self.messages)):
            return
        for number in self.fields:
            if number.isdecimal() and not 2 <= int(number) <= 128:
                yield f"fields.{number}", "a field has a number from 2 to 128"
        if isinstance(self.parameters, dict):
            for number, field in self.fields.items():
                for name in parameters_of(field):
                    if name not in self.parameters:
                        yield f"fields.{number}", f"the parameter {name} is not listed"
        for kind, message in self.messages.items():
            if isinstance(message, MessageLayout):
                yield from _message_problems(self.fields, kind, message)
        yield from _misplaced(self.fields, self.messages, self.stored_credentials)
        yield from _ambiguous_kinds(self.messages)
        yield from _missing_kinds(self.messages)


def _message_problems(
    fields: Mapping[str, object], kind: str, message: MessageLayout
) -> Iterator[tuple[str, str]]:
    for index, number in enumerate(message.fields):
        if number not in fields:
            yield f"messages.{kind}.fields[{index}]", "is not among the fields of this dialect"
        if number in message.fields[:index]:
            yield f"messages.{kind}.fields[{index}]", "is listed twice"
    carried = {role for number in message.fields for role in roles_of(fields.get(number))}
    if Role.STAN not in carried:
        yield f"messages.{kind}.fields", "need one with the role stan, by which answers are found"
    for role in message.values:
        if role not in carried:
            yield f"messages.{kind}.values.{role}", "no field of this message has this role"
    for index, role in enumerate(message.requires):
        if role not in carried:
            yield f"messages.{kind}.requires[{index}]", "no field of this message has this role"


def _misplaced(
    fields: Mapping[str, object], messages: Mapping[Any, Any], credentials: object
) -> Iterator[tuple[str, str]]:
    authorize = messages.get(MessageKind.AUTHORIZE)
    if not isinstance(credentials, dict) or not isinstance(authorize, MessageLayout):
        return
    carried = {role for number in authorize.fields for role in roles_of(fields.get(number))}
    for kind, values in credentials.items():
        for role in values if isinstance(values, dict) else ():
            if role not in carried:
                problem = "no field of authorize has this role"
                yield f"stored_credentials.{kind}.{role}", problem


def _ambiguous_kinds(messages: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    seen: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}
    for kind, message in messages.items():
        if isinstance(message, MessageLayout):
            mark = (message.mti, frozenset(message.values.items()))
            other = seen.setdefault(mark, kind)
            if other != kind:
                yield (
                    f"messages.{kind}",
                    f"has the mti and values of {other}: nothing tells them apart",
                )


def _missing_kinds(messages: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """What is asked is answered, and what is authorized can be reversed."""
    for name in messages:
        kind = MessageKind(name) if name in set(MessageKind) else None
        answer = kind.answer if kind is not None else None
        if answer is not None and answer not in messages:
            yield f"messages.{name}", f"needs {answer}, the message that answers it"
    reversals = (MessageKind.REVERSE, MessageKind.REVERSE_ADVICE)
    for kind in (MessageKind.CAPTURE, MessageKind.REFUND):
        if kind in messages and MessageKind.AUTHORIZE not in messages:
            yield f"messages.{kind}", "needs authorize, of which it is a part"
    if MessageKind.AUTHORIZE in messages and not any(each in messages for each in reversals):
        yield "messages.authorize", "needs reverse or reverse_advice: late payments are reversed"
