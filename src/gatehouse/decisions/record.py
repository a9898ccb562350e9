"""The whole decision record: its types, its writer and its reader.

Records are kept as JSON text, and rewritten only where a person is erased. So the reader takes
those of every earlier version. A field that is added later has a default, and is left out of the
text while it has it. In the text, signals and what Sentry noted are packed: numbers stand for their
names. Readers of a record see the names.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec.structs import FieldInfo

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.cards.numbers import KeptCard
from gatehouse.core.errors import GatehouseError
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.decisions.packed_values import SIGNALS, PackedFeatures, PackedValues, features_in
from gatehouse.decisions.recorded_event import KeptEvent, RecordedEvent, event_in

RECORD_NONE: Final = Phrase("refused.record_none", "this is not a decision record: {why}")
_RECORD_VERSION: Final = Phrase(
    "refused.record_version",
    "this decision record has version {version}, and this version of Gatehouse reads "
    "records up to version {known} ({why}); install a newer one",
)

T = TypeVar("T")
Text = str | bytes | msgspec.Raw
"""JSON, whole or a part of it that was left undecoded."""

VERSION: Final = 2
"""The version of records that this code writes; to be raised when a field changes its meaning."""
IMPORTED: Final = "import"
"""The operation of a record of the account's past, which was never a request here."""
_FIRST: Final = 1
"""The version of the texts that name none."""


class UnreadableRecord(GatehouseError):
    """A text that is not a decision record, or one that only a newer version can read."""


class RecordedStage(CamelStruct):
    """One stage that ran."""

    name: str
    fee_type: str
    fee_micros: int
    completed: bool
    duration_microseconds: int
    result: dict[str, Any]
    """What it found, in the words of its own room."""


class PipelineVersion(msgspec.Struct, frozen=True):
    """Which pipeline, as it stood at the time."""

    id: Annotated[int, doc("Number of the pipeline.")]
    version: Annotated[int, doc("Its version.")]

    @property
    def name(self) -> str:
        """What the pipeline is called where it does something by itself."""
        return f"pipeline:{self.id}"


class DecisionRecord(CamelStruct, omit_defaults=True):
    """What a processed request leaves. Its fields are in the order of the text."""

    request_id: str
    operation: str
    at: str
    """When the request came in (RFC 3339)."""
    client_reference_id: str | int | None
    """The caller's own reference, card numbers masked."""
    card: KeptCard | None
    stages: list[RecordedStage]
    authorized_micros: int
    closed_micros: int
    decision: Outcome | None = None
    """This and what follows: of requests that rules or a pipeline decide."""
    pipeline: PipelineVersion | None = None
    signals: dict[str, Any] | None = None
    """What was known before any stage had run; see `conditions.catalogue`."""
    event: RecordedEvent | None = None
    """Of a request to Sentry alone, the event is in the result of its stage."""
    version: int = _FIRST
    """The version of the text that it was read from."""
    erased_at: str | None = None
    """When everything about the person was erased from it (RFC 3339)."""
    decided_by: tuple[str, ...] = ()
    """The stages whose verdicts count, where the pipeline's author named them."""


class RecordedSignals(msgspec.Struct, frozen=True):
    """What the record keeps of a request that was described in signals."""

    signals: dict[str, Any]
    event: RecordedEvent | None = None


def _default(field: FieldInfo) -> tuple[Any, ...]:
    return () if field.required else (field.default,)


class _Versioned(msgspec.Struct, frozen=True):
    version: int = _FIRST


_KEPT_TYPES: Final = {
    "signals": dict[str, Any] | PackedValues | None,
    "event": KeptEvent | None,
}
_Kept: Final = msgspec.defstruct(
    "Kept",
    [
        (field.name, _KEPT_TYPES.get(field.name, field.type), *_default(field))
        for field in msgspec.structs.fields(DecisionRecord)
    ],
    rename="camel",
)
"""The text of a record of any version, field by field."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(_Kept).decode
_decode_version: Final = msgspec.json.Decoder(_Versioned).decode


def encode(record: DecisionRecord) -> str:
    """The text of a record, as it is kept."""
    version = record.version if record.version > VERSION else VERSION
    if record.signals is not None:
        # What is encoded need not have the types that it would be read as.
        packed: Any = SIGNALS.pack(record.signals)
        record = msgspec.structs.replace(record, signals=packed, version=version)
    elif record.version != version:
        record = msgspec.structs.replace(record, version=version)
    return _encode(record).decode()


def encode_named(record: DecisionRecord) -> str:
    """A record as other programs read it, everything by its name: the form of version 1."""
    event: Any = None if record.event is None else record.event.named()
    return _encode(msgspec.structs.replace(record, event=event, version=_FIRST)).decode()


def named_text(text: str) -> str:
    """The text of a record with everything by its name; as it is, if it cannot be read."""
    try:
        record = decode(text)
    except UnreadableRecord:
        return text
    return text if record.version == _FIRST else encode_named(record)


def decode(text: str) -> DecisionRecord:
    """The record of a text, or `UnreadableRecord`."""
    return read(_opened, text)


def _opened(text: Text) -> DecisionRecord:
    kept = msgspec.structs.asdict(_decode(text))
    signals, event = kept["signals"], kept["event"]
    if isinstance(signals, PackedValues):
        kept["signals"] = SIGNALS.unpack(signals)
    if event is not None:
        kept["event"] = event_in(event)
    for stage in kept["stages"]:
        _open_result(stage.result)
    return DecisionRecord(**kept)


def event_of(record: DecisionRecord) -> RecordedEvent | None:
    """What Sentry remembers of a request, wherever its record keeps it, live or read."""
    if record.event is not None:
        return record.event
    for stage in record.stages:
        found: KeptEvent | None = stage.result.get("event")
        if found:
            return event_in(found)
    return None


def _open_result(result: dict[str, Any]) -> None:
    """Give what Sentry measured and noted its names, in the result of its stage."""
    measured, event = result.get("signals"), result.get("event")
    if isinstance(measured, list):
        result["signals"] = features_in(msgspec.convert(measured, PackedFeatures))
    if isinstance(event, list):
        result["event"] = msgspec.convert(event, RecordedEvent).named()


def read(decode_part: Callable[[Text], T], text: Text) -> T:
    """A text as the decoder of a record, or of a part of one, reads it; or `UnreadableRecord`."""
    try:
        return decode_part(text)
    except msgspec.DecodeError as error:
        raise unreadable(text, error) from None


def unreadable(text: Text, error: msgspec.DecodeError) -> UnreadableRecord:
    """Why a text could not be read as a record, or as a part of one."""
    try:
        version = _decode_version(text).version
    except msgspec.DecodeError:
        version = _FIRST
    if version <= VERSION:
        return UnreadableRecord(RECORD_NONE(why=said_by(error)))
    return UnreadableRecord(_RECORD_VERSION(version=version, known=VERSION, why=said_by(error)))


class StageOutline(msgspec.Struct, frozen=True, gc=False):
    """A `RecordedStage` without its fee and duration."""

    name: str
    completed: bool = False
    result: msgspec.Raw = msgspec.Raw(b"{}")


class StagesOutline(msgspec.Struct, frozen=True):
    """What ran in a `DecisionRecord`, and what was decided."""

    stages: tuple[StageOutline, ...] = ()
    decision: str | None = None


class RecordOutline(StagesOutline, frozen=True):
    """The same with the event, where the record itself tells it.

    The whole record of a pipeline (3.8 kB) takes 12.4 µs to read, its outline 5.0 µs. Sentry's
    memory is rebuilt on the event loop while requests are answered, and training reads months of
    records. What a stage found is left undecoded until it is asked for.
    """

    request_id: str = msgspec.field(name="requestId", default="")
    kept_event: KeptEvent | None = msgspec.field(default=None, name="event")

    @property
    def event(self) -> RecordedEvent | None:
        """The event, whatever version the record has."""
        return None if self.kept_event is None else event_in(self.kept_event)

    @property
    def completed(self) -> bool:
        """Whether every stage that ran has completed."""
        return all(stage.completed for stage in self.stages)


_decode_outline: Final = msgspec.json.Decoder(RecordOutline).decode


def read_outline(text: Text) -> RecordOutline:
    """The outline of a record, or `UnreadableRecord`."""
    return read(_decode_outline, text)


class _ClosedAmount(CamelStruct, gc=False):
    closed_micros: int


_decode_closed: Final = msgspec.json.Decoder(_ClosedAmount).decode


def read_closed_micros(text: Text) -> int:
    """What a record says was charged, or `UnreadableRecord`."""
    return read(_decode_closed, text).closed_micros
