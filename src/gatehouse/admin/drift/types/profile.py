"""Profiles: how often each signal had a value of which size in some hours, and each rule matched.

A profile holds counts and no values: numbers are told apart by their size, texts by a number that
many texts share. So it says nothing of a person, and profiles of several hours can be added up.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec

PART_MS: Final = 6 * 3_600_000
"""The length of a part: four are a day, and fine enough for a look at the last 24 hours."""
PARTS_A_DAY: Final = 4
PARTS_A_WEEK: Final = 7 * PARTS_A_DAY

_TEXTS: Final = 32
"""Texts share so many places; two frequent ones are rarely at the same."""
_PER_DECADE: Final = 10
_FARTHEST: Final = 200
_ONE: Final = 300
"""Where numbers of size one are; zero is at 0, and negative numbers below."""
_TRUE: Final = 1001
_FALSE: Final = 1000
_FIRST_TEXT: Final = 2000
MISSING: Final = -9999
"""Where requests are that do not have a signal."""

Counts = dict[int, int]


class TrafficProfile(msgspec.Struct, array_like=True):
    """What was counted in one part, or in several together."""

    requests: int = 0
    signals: dict[str, Counts] = {}
    """Of each signal that some request had: how many have a value of which place."""
    rules: dict[str, int] = {}
    """How many requests each rule matched, by rule set and rule."""
    judged: dict[str, int] = {}
    """How many requests each version of a rule set judged, by rule set and version."""

    def of_signal(self, name: str) -> Counts:
        """All requests by the place of a signal's value, also those without one."""
        known = self.signals.get(name, {})
        missing = self.requests - sum(known.values())
        return {MISSING: missing, **known} if missing else dict(known)

    def versions(self, rule_set: str) -> dict[str, int]:
        """How many requests each version of one rule set judged."""
        start = f"{rule_set}/"
        return {name: count for name, count in self.judged.items() if name.startswith(start)}

    def judged_by(self, rule_set: str) -> int:
        """How many requests a rule set judged."""
        return sum(self.versions(rule_set).values())

    def rate(self, rule: str) -> float:
        """The share of the requests of its rule set that a rule matched."""
        judged = self.judged_by(rule.partition("/")[0])
        return self.rules.get(rule, 0) / judged if judged else 0.0


def place_of(value: Any) -> int | None:
    """Where a value belongs; None for one that is not counted, such as a list."""
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, int | float):
        return _place_of_number(float(value))
    if isinstance(value, str):
        return _FIRST_TEXT + zlib.crc32(value.encode(errors="replace")) % _TEXTS
    return None


def _place_of_number(value: float) -> int:
    """Numbers of about the same size together, ten sizes to a power of ten."""
    if not value or not math.isfinite(value):
        return 0
    size = round(_PER_DECADE * math.log10(abs(value)))
    size = _ONE + max(-_FARTHEST, min(size, _FARTHEST))
    return size if value > 0 else -size


def added(profiles: Iterable[TrafficProfile]) -> TrafficProfile:
    """Several profiles as one."""
    whole = TrafficProfile()
    signals: dict[str, Counter[int]] = {}
    rules, judged = Counter(whole.rules), Counter(whole.judged)
    for each in profiles:
        whole.requests += each.requests
        rules.update(each.rules)
        judged.update(each.judged)
        for name, counts in each.signals.items():
            signals.setdefault(name, Counter()).update(counts)
    return TrafficProfile(whole.requests, {n: dict(c) for n, c in signals.items()}, rules, judged)


def encode_profile(profile: TrafficProfile) -> bytes:
    """A profile as it is kept: most of it are small numbers, which take little room together."""
    return zlib.compress(msgspec.msgpack.encode(profile))


def decode_profile(kept: bytes) -> TrafficProfile:
    """A kept profile."""
    return msgspec.msgpack.decode(zlib.decompress(kept), type=TrafficProfile)
