"""One hour of an account in counts: how much came, how it went, and with which values.

It holds no values: texts are told apart by a number that many texts share, amounts by their size.
So it says nothing of a person, and needs no erasing.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.admin.alerts.types.observing import SeenRequest, ValueKind
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome

HOUR_MS: Final = 3_600_000
_PLACES: Final = 4096
"""So many places texts share; two frequent ones are rarely at the same."""
MOST_PLACES: Final = 60
"""Of a kind and an hour, the most frequent; what is rarer has next to no share."""
_MOST_CURRENCIES: Final = 10
_PER_DECADE: Final = 10

Counts = dict[int, int]


class Measure(StrEnum):
    """What is counted of requests."""

    REQUESTS = "requests"
    DECLINED = "declined"
    REFUSED = "refused"
    REVIEWED = "reviewed"
    DOUBTED = "doubted"
    FAILED = "failed"
    NEW_CARDS = "newCards"
    SMALL = "small"


BAD: Final = (Measure.REFUSED, Measure.DECLINED, Measure.REVIEWED, Measure.DOUBTED)
"""What an attack brings more of."""


class HourCounts(msgspec.Struct, array_like=True):
    """What was counted in one hour, or in several together."""

    requests: int = 0
    """All of them."""
    read: int = 0
    """So many were looked at, which is all of them unless they were very many."""
    measures: dict[str, int] = {}
    fresh: dict[str, int] = {}
    """The same of requests whose card is not known to have been seen before."""
    values: dict[str, Counts] = {}
    amounts: dict[str, Counts] = {}
    """By currency and size."""


def measures_of(seen: SeenRequest) -> list[Measure]:
    """What a request counts as, but for what depends on the usual amounts."""
    found = []
    if seen.failed:
        found.append(Measure.FAILED)
    elif seen.refused:
        found.append(Measure.REFUSED)
    elif seen.outcome == Outcome.DECLINE.value:
        found.append(Measure.DECLINED)
    elif seen.outcome == Outcome.REVIEW.value:
        found.append(Measure.REVIEWED)
    elif seen.doubted:
        found.append(Measure.DOUBTED)
    if seen.is_new:
        found.append(Measure.NEW_CARDS)
    return found


def count_hour(seen: Iterable[SeenRequest], requests: int | None = None) -> HourCounts:
    """The counts of some observations; `requests` says how many there were, if not all are here."""
    made = HourCounts(0, 0, {}, {}, {}, {})
    values: dict[str, Counter[int]] = {}
    met: set[tuple[str, str]] = set()
    for each in seen:
        made.read += 1
        for measure in measures_of(each):
            _add(made.measures, measure.value)
            if each.is_new is not False:
                _add(made.fresh, measure.value)
        for kind, value in each.values:
            if kind is ValueKind.ADDRESS:
                # People: one who tries again is no neighbour.
                known, who = len(met), each.who or each.request_id
                met.add((value, who))
                if len(met) == known:
                    continue
            values.setdefault(kind.value, Counter())[place_of(value)] += 1
        size = size_of(each.amount_micros)
        if size is not None and (
            each.currency in made.amounts or len(made.amounts) < _MOST_CURRENCIES
        ):
            sizes = made.amounts.setdefault(each.currency or "", {})
            sizes[size] = sizes.get(size, 0) + 1
    made.values = {kind: dict(counts.most_common(MOST_PLACES)) for kind, counts in values.items()}
    made.requests = made.read if requests is None else max(requests, made.read)
    return made


def place_of(value: str) -> int:
    """The number that a text shares with some others."""
    return zlib.crc32(value.encode(errors="replace")) % _PLACES


def size_of(micros: int | None) -> int | None:
    """Amounts of about the same size have the same number: ten to a power of ten."""
    if micros is None or micros <= 0:
        return None
    return round(_PER_DECADE * math.log10(micros / MICROS_PER_UNIT))


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1


def encode_hour(counts: HourCounts) -> bytes:
    """An hour as it is kept."""
    return zlib.compress(msgspec.msgpack.encode(counts))


def decode_hour(kept: bytes) -> HourCounts:
    """A kept hour."""
    return msgspec.msgpack.decode(zlib.decompress(kept), type=HourCounts)
