"""A history in a few bytes, in place of the entries that made it."""

from array import array
from typing import Final

import msgspec

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import EntityHistory, UserHistory
from gatehouse.sentry.memory.memory import EntityKind


class _Packed(msgspec.Struct, array_like=True, gc=False):
    """The fields of a history. Which kind it is, its key says; new fields go to the end."""

    first_s: float
    last_s: float
    currency: str | None
    events: int
    previous_s: float | None
    timeline: bytes
    links: bytes
    """The keys of all partners in the order of their meeting, then a number for each."""
    refused: "_Packed | None" = None
    amounts: bytes = b""
    country: str | None = None
    country_s: float = 0.0
    previous_country: tuple[str, float] | None = None
    paid_in: str | None = None
    high: bytes = b""


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Packed).decode


def pack_history(history: EntityHistory | None) -> bytes:
    """A history as bytes; none at all for an entity of which nothing is known."""
    return b"" if history is None else _encode(_packed(history))


def unpack_history(kind: EntityKind, packed: bytes) -> EntityHistory | None:
    """The history that was packed."""
    if not packed:
        return None
    return _unpacked(_decode(packed), is_user=kind is kinds.USER)


def _packed(history: EntityHistory) -> _Packed:
    links = history.links
    packed = _Packed(
        history.first_s,
        history.last_s,
        history.currency,
        history.events,
        history.previous_s,
        _bytes(history.timeline),
        b"" if not links else array("q", (*links, *links.values())).tobytes(),
        None if history.refused is None else _packed(history.refused),
    )
    if isinstance(history, UserHistory):
        packed.amounts, packed.high = _bytes(history.amounts), _bytes(history.high)
        packed.country, packed.country_s = history.country, history.country_s
        packed.previous_country, packed.paid_in = history.previous_country, history.paid_in
    return packed


def _unpacked(packed: _Packed, *, is_user: bool) -> EntityHistory:
    history = (UserHistory if is_user else EntityHistory)(
        packed.first_s,
        packed.last_s,
        packed.currency,
        packed.events,
        previous_s=packed.previous_s,
        timeline=_floats(packed.timeline),
        links=_links(packed.links),
        refused=None if packed.refused is None else _unpacked(packed.refused, is_user=False),
    )
    if isinstance(history, UserHistory):
        history.amounts, history.high = _floats(packed.amounts), _floats(packed.high)
        history.country, history.country_s = packed.country, packed.country_s
        history.previous_country, history.paid_in = packed.previous_country, packed.paid_in
    return history


def _bytes(numbers: "array[float] | None") -> bytes:
    return b"" if numbers is None else numbers.tobytes()


def _floats(packed: bytes) -> "array[float] | None":
    return array("d", packed) if packed else None


def _links(packed: bytes) -> dict[int, int] | None:
    if not packed:
        return None
    numbers = array("q", packed)
    half = len(numbers) // 2
    return dict(zip(numbers[:half], numbers[half:], strict=True))
