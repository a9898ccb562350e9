"""What a record tells besides signals: outcome, times and fees, and the rules that matched."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.packed_values import SIGNALS, PackedValues
from gatehouse.decisions.record import UnreadableRecord, read

_NONE: Final = msgspec.Raw(b"null")
_MOST_RULINGS: Final = 10_000
_CUSTOM_NAME: Final = f'"{CUSTOM}'.encode()


class RecordFacts(msgspec.Struct, frozen=True):
    """What is told of one record."""

    outcome: str | None = None
    erased: bool = False
    duration_us: int = 0
    fees_micros: int = 0
    rule_sets: list[str] = []
    """Which rule sets were asked, each with its version."""
    matched: list[str] = []
    """Which rules matched, each as rule set, version and rule."""
    shadow: list[str] = []
    custom: dict[str, Any] = {}
    """The custom inputs by name."""
    durations: dict[str, int] = {}
    completed: dict[str, bool] = {}
    card: "CardFacts | None" = None


class CardFacts(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What tells cards apart, and which issuer they are of."""

    bin: str | None = None
    last_four: str | None = None
    fingerprint: str | None = None


class _Stage(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    name: str
    completed: bool = False
    duration_microseconds: int = 0
    result: msgspec.Raw = msgspec.Raw(b"{}")


class _Outline(CamelStruct):
    stages: tuple[_Stage, ...] = ()
    decision: str | None = None
    closed_micros: int = 0
    card: CardFacts | None = None
    signals: msgspec.Raw = _NONE
    erased_at: str | None = None


class _RulesResult(CamelStruct):
    rule_set: str | None = None
    version: int | None = None
    matched: tuple[str, ...] = ()
    shadow: tuple[str, ...] = ()


class _Ruling(NamedTuple):
    rule_set: str
    matched: list[str]
    shadow: list[str]


_decode: Final = msgspec.json.Decoder(_Outline).decode
_decode_rules: Final = msgspec.json.Decoder(_RulesResult).decode
_decode_signals: Final[Callable[[msgspec.Raw], Any]] = msgspec.json.Decoder(
    dict[str, Any] | PackedValues | None
).decode


def facts_of(text: str) -> RecordFacts:
    """What a record tells; nothing if it cannot be read."""
    try:
        kept = read(_decode, text)
    except UnreadableRecord:
        return RecordFacts()
    durations: dict[str, int] = {}
    completed: dict[str, bool] = {}
    rulings = []
    for stage in kept.stages:
        name = stage.name
        durations[name] = durations.get(name, 0) + stage.duration_microseconds
        completed[name] = completed.get(name, True) and stage.completed
        if name in REGISTRY and REGISTRY[name].runs_rule_set:
            rulings.append(_ruling(bytes(stage.result)))
    return RecordFacts(
        outcome=kept.decision,
        erased=kept.erased_at is not None,
        duration_us=sum(durations.values()),
        fees_micros=kept.closed_micros,
        rule_sets=[each.rule_set for each in rulings],
        matched=[name for each in rulings for name in each.matched],
        shadow=[name for each in rulings for name in each.shadow],
        custom=_custom(kept.signals),
        durations=durations,
        completed=completed,
        card=kept.card,
    )


@lru_cache(_MOST_RULINGS)
def _ruling(result: bytes) -> _Ruling:
    """What a stage with rules found, which is mostly the same as in another record."""
    try:
        found = _decode_rules(result)
    except msgspec.ValidationError:
        return _Ruling("", [], [])
    about = f"{found.rule_set}/{found.version}"
    return _Ruling(
        about,
        [f"{about}/{name}" for name in found.matched],
        [f"{about}/{name}" for name in found.shadow],
    )


def _custom(signals: msgspec.Raw) -> dict[str, Any]:
    if _CUSTOM_NAME not in bytes(signals):
        return {}
    try:
        found = _decode_signals(signals)
    except msgspec.DecodeError:
        return {}
    named = SIGNALS.unpack(found) if isinstance(found, PackedValues) else found
    return {name: value for name, value in (named or {}).items() if name.startswith(CUSTOM)}
