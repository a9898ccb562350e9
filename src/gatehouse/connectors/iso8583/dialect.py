"""A dialect at work: packs values into messages, and unpacks messages into values.

Both directions are compiled once. The client and the reference host use the same two.
"""

from collections.abc import Mapping
from typing import Final

from gatehouse.connectors.iso8583.compiled import Read, Write
from gatehouse.connectors.iso8583.constants import parameter_problems
from gatehouse.connectors.iso8583.content import translation
from gatehouse.connectors.iso8583.definition import DialectDefinition, FramingLayout
from gatehouse.connectors.iso8583.layout.bitmaps import BitmapCodec
from gatehouse.connectors.iso8583.layout.field_layout import roles_of
from gatehouse.connectors.iso8583.layout.fields import FieldCompiler
from gatehouse.connectors.iso8583.layout.formats import Encoding
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.iso8583.values import Values
from gatehouse.core.errors import SettingsError
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.sentences import Phrase

_PARAMETER: Final = Phrase(
    "connector.iso_parameter", "the parameter {name} of the dialect {problem}"
)

_MOST_PLANS: Final = 512
"""Bitmaps that are remembered; a party uses a few, and garbage must not fill the memory."""


class Unpacked(Personal, frozen=True):
    """A message that was read. Its values are card data."""

    kind: MessageKind
    mti: str
    values: dict[Role, str]


class _Outgoing:
    """How one kind is packed."""

    __slots__ = ("fixed", "mti", "requires", "writes")

    def __init__(
        self, mti: bytes, writes: list[tuple[int, Write]], fixed: Values, requires: tuple[Role, ...]
    ) -> None:
        self.mti = mti
        self.writes = writes
        self.fixed = fixed
        self.requires = requires


class Dialect:
    """Packs and unpacks the messages of one definition."""

    def __init__(
        self, definition: DialectDefinition, parameters: Mapping[str, str] | None = None
    ) -> None:
        chosen = {name: each.default for name, each in definition.parameters.items()}
        chosen.update(parameters or {})
        for name, problem in parameter_problems(definition, parameters or {}):
            raise SettingsError(_PARAMETER(name=name, problem=problem))
        self.name = definition.dialect
        self.definition = definition
        self._bitmaps = BitmapCodec(definition.encoding)
        compiler = FieldCompiler(definition.encoding, chosen, definition.codes)
        fields = {
            int(number): compiler.field(f"field {number}", layout)
            for number, layout in definition.fields.items()
        }
        self._reads: dict[int, Read] = {number: each.read for number, each in fields.items()}
        self._outgoing = {
            kind: _Outgoing(
                self._mti(message.mti),
                [
                    (1 << (128 - number), fields[number].write)
                    for number in sorted(map(int, message.fields))
                ],
                message.values,
                message.requires,
            )
            for kind, message in definition.messages.items()
        }
        self._incoming = self._incoming_kinds()
        self._roles = {
            kind: frozenset(
                role for number in message.fields for role in roles_of(definition.fields[number])
            )
            for kind, message in definition.messages.items()
        }
        self._mti_size = len(self._mti("0000"))
        self._plans: dict[bytes, tuple[Read, ...]] = {}

    @property
    def framing(self) -> FramingLayout:
        """What stands before each message on a connection."""
        return self.definition.framing

    @property
    def kinds(self) -> frozenset[MessageKind]:
        """The kinds of messages that this dialect has."""
        return frozenset(self._outgoing)

    def mti(self, kind: MessageKind) -> str:
        """The type indicator of a kind."""
        return self.definition.messages[kind].mti

    def answer_mti(self, kind: MessageKind) -> str:
        """The type indicator of what answers a kind."""
        assert kind.answer is not None
        return self.mti(kind.answer)

    def carries(self, kind: MessageKind, role: Role) -> bool:
        """Whether messages of a kind have a place for a role."""
        return role in self._roles.get(kind, ())

    def pack(self, kind: MessageKind, values: Values) -> bytes:
        """A message without what stands before it; values without a place are left out."""
        out = self._outgoing.get(kind)
        if out is None:
            raise MalformedMessage(f"the dialect has no message {kind}")
        if out.fixed:
            values = {**values, **out.fixed}
        for role in out.requires:
            if not values.get(role):
                raise MalformedMessage(f"{kind} needs {role}")
        bits = 0
        pieces = [out.mti, b""]
        for bit, write in out.writes:
            piece = write(values)
            if piece is not None:
                bits |= bit
                pieces.append(piece)
        pieces[1] = self._bitmaps.write(bits)
        return b"".join(pieces)

    def unpack(self, data: bytes) -> Unpacked:
        """What a message says, or `MalformedMessage`."""
        at = self._mti_size
        found = self._incoming.get(data[:at])
        if found is None:
            raise MalformedMessage("the message has a type that the dialect does not have")
        end = at + self._bitmaps.size(data[at : at + 1])
        bitmap = data[at:end]
        plan = self._plans.get(bitmap) or self._plan(bitmap)
        values: dict[Role, str] = {}
        at = end
        for read in plan:
            at = read(data, at, values)
        if at != len(data):
            raise MalformedMessage("the message is longer than its fields")
        mti, kinds = found
        return Unpacked(_kind(kinds, values), mti, values)

    def _mti(self, mti: str) -> bytes:
        encoding = self.definition.encoding
        if encoding.mti is Encoding.BCD:
            return bytes.fromhex(mti)
        raw = mti.encode("ascii")
        if encoding.mti is Encoding.EBCDIC:
            return raw.translate(translation(encoding.code_page)[0])
        return raw

    def _incoming_kinds(self) -> dict[bytes, tuple[str, list[tuple[MessageKind, Values]]]]:
        """By the bytes of a type, the kinds that have it; those with most values first."""
        kinds: dict[bytes, tuple[str, list[tuple[MessageKind, Values]]]] = {}
        for kind, message in self.definition.messages.items():
            entry = kinds.setdefault(self._mti(message.mti), (message.mti, []))
            entry[1].append((kind, message.values))
        for _, entries in kinds.values():
            entries.sort(key=lambda each: -len(each[1]))
        return kinds

    def _plan(self, bitmap: bytes) -> tuple[Read, ...]:
        """The readers of the fields that a bitmap lists."""
        numbers = self._bitmaps.numbers(bitmap)
        unknown = [number for number in numbers if number not in self._reads]
        if unknown:
            raise MalformedMessage(f"the dialect has no field {unknown[0]}")
        plan = tuple(self._reads[number] for number in numbers)
        if len(self._plans) < _MOST_PLANS:
            self._plans[bitmap] = plan
        return plan


def _kind(kinds: list[tuple[MessageKind, Values]], values: Values) -> MessageKind:
    """The kind whose own values the message has, or else one that it does not contradict."""
    if len(kinds) == 1:
        return kinds[0][0]
    possible = None
    for kind, own in kinds:
        same = True
        for role, value in own.items():
            found = values.get(role)
            if found != value:
                same = False
                if found is not None:
                    break
        else:
            if same:
                return kind
            possible = possible or kind
    if possible is not None:
        return possible
    # A host may answer with values of its own, and an approval must not be lost for that.
    if all(kind.answer is None for kind, _ in kinds):
        return kinds[-1][0]
    raise MalformedMessage("the message is of a kind that the dialect does not have")
