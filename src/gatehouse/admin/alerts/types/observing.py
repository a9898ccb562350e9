"""What the watch takes from a decision record: whether it went badly, and the values it came with.

Everything else of the record is left where it is. An observation is kept for some hours, in memory.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from gatehouse.conditions.catalogue import read_signal
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import DecisionReason, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.record import DecisionRecord, RecordedStage, event_of

_REFUSED: Final = (
    DecisionReason.ISSUER_DECLINED,
    DecisionReason.GATEWAY_DECLINED,
    DecisionReason.FRAUD,
)
_FAILED: Final = (DecisionReason.ISSUER_UNAVAILABLE, DecisionReason.GATEWAY_ERROR)
_LARGEST_AMOUNT: Final = 1e12
LONGEST_VALUE: Final = 128
DOUBTED_BELOW: Final = 0.15
"""The confidence below which the starter rules decline; of requests that no rule decides."""
UNSURE_BELOW: Final = 0.7
"""Honest orders rarely have so little confidence, but those of an offer for next to nothing do."""
_CONFIDENCE: Final = "requestConfidence"


class ValueKind(StrEnum):
    """What a value that stands out is."""

    ADDRESS = "address"
    NETWORK = "network"
    OPERATOR = "operator"
    COUNTRY = "country"
    BIN = "bin"
    DOMAIN = "domain"
    DEVICE = "device"
    BROWSER = "browser"
    RULE = "rule"


SIGNALS: Final[Mapping[ValueKind, str]] = {
    ValueKind.ADDRESS: "ip.address",
    ValueKind.NETWORK: "ip.network",
    ValueKind.OPERATOR: "ip.organisation",
    ValueKind.COUNTRY: "ip.country",
    ValueKind.BIN: "card.bin",
    ValueKind.DOMAIN: "email.domain",
    ValueKind.DEVICE: "device.id",
    ValueKind.BROWSER: "device.browser",
}
"""The signal that a rule finds each kind by."""
_REMEMBERED: Final = {
    "address": ValueKind.ADDRESS,
    "network": ValueKind.NETWORK,
    "country": ValueKind.COUNTRY,
    "bin": ValueKind.BIN,
}
"""What Sentry noted of a request that is described in no signals."""


class SeenRequest(msgspec.Struct, frozen=True, gc=False):
    """One decision as the watch sees it."""

    request_id: str
    at_ms: int
    outcome: str | None = None
    refused: bool = False
    """By the issuer or the payment gateway."""
    failed: str = ""
    """The stage whose party failed or was late."""
    doubted: bool = False
    """Of a request without an outcome: Sentry has hardly any confidence in it."""
    is_new: bool | None = None
    """Whether the card was not seen in the 30 days before; None when nobody knows."""
    who: str | None = None
    """The card, or else the user, so that one who tries again counts once."""
    amount_micros: int | None = None
    currency: str | None = None
    values: tuple[tuple[ValueKind, str], ...] = ()
    unsure: bool = False
    """Of a request without an outcome: Sentry has less confidence in it than in most."""

    @property
    def is_accepted(self) -> bool:
        """Whether the order may be delivered."""
        return self.outcome in (None, Outcome.ACCEPT.value) and not self.refused


def observe(record: DecisionRecord, at_ms: int) -> SeenRequest | None:
    """What the watch sees of a record; nothing of one whose person was erased."""
    if record.erased_at is not None:
        return None
    signals = _described(record)
    reasons = [(stage.name, _reason(stage)) for stage in record.stages]
    refused = any(why in _REFUSED for _, why in reasons)
    missing = next((stage.name for stage in record.stages if not stage.completed), "")
    failed = next((name for name, why in reasons if why in _FAILED), missing)
    amount = signals.get("order.amount")
    seen = read_signal(signals, "velocity.card.count_30d")
    return SeenRequest(
        record.request_id,
        at_ms,
        None if record.decision is None else record.decision.value,
        refused,
        failed,
        record.decision is None and _is_below(record, DOUBTED_BELOW),
        None if seen is None else seen <= 1,
        _text(signals.get("card.fingerprint")) or _text(signals.get("user.id")),
        _micros(amount),
        _text(signals.get("order.currency")),
        tuple(_values(record, signals)),
        record.decision is None and _is_below(record, UNSURE_BELOW),
    )


def _described(record: DecisionRecord) -> Mapping[str, Any]:
    """The signals, or what Sentry noted of a request to it alone, under their names."""
    if record.signals is not None:
        return record.signals
    event = event_of(record)
    if event is None:
        return {}
    named = {
        SIGNALS[_REMEMBERED[kind]]: value for kind, value in event.entities if kind in _REMEMBERED
    }
    user = next((value for kind, value in event.entities if kind == "user"), None)
    about = {"order.amount": event.amount, "order.currency": event.currency, "user.id": user}
    return {**named, **about}


def _reason(stage: RecordedStage) -> DecisionReason | None:
    """What a stage says of its party; None where it did not complete or says nothing."""
    reason = REGISTRY[stage.name].reason if stage.name in REGISTRY else None
    if reason is None or not stage.completed:
        return None
    try:
        return reason(stage.result).word
    except (KeyError, ValueError, TypeError):  # a record of another version
        return None


def _is_below(record: DecisionRecord, confidence: float) -> bool:
    found = (stage.result.get(_CONFIDENCE) for stage in record.stages)
    return any(isinstance(each, int | float) and each < confidence for each in found)


def _values(record: DecisionRecord, signals: Mapping[str, Any]) -> Iterator[tuple[ValueKind, str]]:
    for kind, name in SIGNALS.items():
        value = _text(signals.get(name))
        if value is not None:
            yield kind, value
    for stage in record.stages:
        if stage.name in REGISTRY and REGISTRY[stage.name].runs_rule_set:
            matched = stage.result.get("matched")
            rule_set = stage.result.get("ruleSet")
            if isinstance(matched, list) and isinstance(rule_set, str):
                yield from ((ValueKind.RULE, _cut(f"{rule_set}/{each}")) for each in matched)


def _text(value: Any) -> str | None:
    return _cut(value) if isinstance(value, str) and value else None


def _cut(value: str) -> str:
    return value[:LONGEST_VALUE]


def _micros(amount: Any) -> int | None:
    if not isinstance(amount, int | float) or not -_LARGEST_AMOUNT < amount < _LARGEST_AMOUNT:
        return None
    return round(amount * MICROS_PER_UNIT)
