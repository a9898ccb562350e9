"""`python -m scripts.bench.iso8583`: what packing and unpacking a message of 15 fields costs.

Our two dialects and pyiso8583 take turns on the same messages, by processor time.
"""

import statistics
import time
from collections.abc import Callable
from typing import Final

import iso8583
from tests.connectors.iso8583.other_libraries import spec_for
from tests.connectors.iso8583.samples import SAMPLES

from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role

BAR_US: Final = 40.0
"""How many microseconds each direction may take."""
_CALLS: Final = 2_000
_ROUNDS: Final = 9
_ROLES: Final = {
    "reference": [Role.NUMBER, Role.AMOUNT, Role.TRANSMITTED_AT, Role.STAN, Role.EXPIRY, Role.RRN],
    "base-one": [Role.NUMBER, Role.AMOUNT, Role.TRANSMITTED_AT, Role.STAN, Role.EXPIRY, Role.RRN,
                 Role.POSTAL_CODE, Role.STREET, Role.SECURITY_CODE],
}  # fmt: skip


def subjects() -> dict[str, Callable[[], object]]:
    """What is measured, by name: a call that packs or unpacks one message."""
    found: dict[str, Callable[[], object]] = {}
    for name, roles in _ROLES.items():
        definition = shipped_dialect(name)
        dialect, spec = Dialect(definition), spec_for(definition)
        values = {role: SAMPLES[role] for role in roles}
        packed = dialect.pack(MessageKind.AUTHORIZE, values)
        fields, _ = iso8583.decode(packed, spec)
        count = len([key for key in fields if key.isdecimal() and key != "1"])
        label = f"{name}, {count} fields"
        found[f"{label}, pack"] = _packing(dialect, values)
        found[f"{label}, unpack"] = _unpacking(dialect, packed)
        found[f"{label}, pyiso8583 encodes"] = _encoding(fields, spec)
        found[f"{label}, pyiso8583 decodes"] = _decoding(packed, spec)
    return found


def _packing(dialect: Dialect, values: dict[Role, str]) -> Callable[[], object]:
    return lambda: dialect.pack(MessageKind.AUTHORIZE, values)


def _unpacking(dialect: Dialect, packed: bytes) -> Callable[[], object]:
    return lambda: dialect.unpack(packed)


def _encoding(fields: dict[str, str], spec: dict[str, dict[str, object]]) -> Callable[[], object]:
    return lambda: iso8583.encode(fields, spec)


def _decoding(packed: bytes, spec: dict[str, dict[str, object]]) -> Callable[[], object]:
    return lambda: iso8583.decode(packed, spec)


def measure() -> dict[str, float]:
    """The median round of each, in microseconds for a call; all take turns."""
    calls = subjects()
    rounds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            started = time.process_time()
            for _ in range(_CALLS):
                call()
            rounds[name].append((time.process_time() - started) / _CALLS * 1_000_000)
    return {name: statistics.median(times) for name, times in rounds.items()}


if __name__ == "__main__":
    for subject, cost_us in measure().items():
        verdict = "" if "pyiso" in subject or cost_us <= BAR_US else "  above the bar of 40 µs"
        print(f"{subject:45} {cost_us:7.1f} µs{verdict}")
