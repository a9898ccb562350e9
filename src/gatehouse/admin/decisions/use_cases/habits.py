"""What is normal for a user: worked out from the decisions before this one, up to a limit."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median, median_low
from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.entities.types import Entity, EntityType, entities_of
from gatehouse.admin.entities.use_cases.index import EntityIndex
from gatehouse.decisions.record import DecisionRecord
from gatehouse.sentry.explaining import recorded_reasons, said_reason
from gatehouse.sentry.spec import SENTRY

MOST_EARLIER: Final = 100
"""So many decisions before this one tell what is normal for its user."""


class UsualEffect(msgspec.Struct, frozen=True):
    """A reason of Sentry's beside what the same measurement usually is for this user."""

    code: str
    sentence: str
    """What was found, in words; empty when this version does not know the code."""
    effect: float
    """What it added to the score, in log-odds; below 0 it speaks against the request."""
    value: float | None
    """What was measured; None when the record does not tell."""
    usual_effect: float | None
    """The mean of what it added to the user's earlier scores; None without earlier ones."""
    usual_value: float | None
    """The median of what was measured earlier, where it was measured."""
    seen: int
    """In how many earlier decisions it moved the score."""


class SeenBefore(msgspec.Struct, frozen=True):
    """How often an entity of this decision was with the user before."""

    entity: Entity
    times: int


class UsualAmount(msgspec.Struct, frozen=True):
    """What the user usually pays in the currency of this order."""

    currency: str | None
    now: float
    median: float
    """The middle one of the amounts; of two in the middle the lower, as it was really paid."""
    least: float
    most: float
    orders: int


class UserHabits(msgspec.Struct, frozen=True):
    """What is normal for the user of a decision."""

    earlier: int
    """Decisions that were looked at; 0 when the user is new, or nobody was named."""
    more: bool
    effects: list[UsualEffect]
    """By their weight."""
    seen: list[SeenBefore]
    amount: UsualAmount | None


def habits_of(index: EntityIndex, record: DecisionRecord) -> UserHabits:
    """Sentry's reasons and the order itself beside what is normal for its user."""
    user = next((each for each in entities_of(record) if each.kind is EntityType.USER), None)
    ids = [] if user is None else index.newest(user, MOST_EARLIER + 1, record.request_id)
    earlier = index.records(ids[:MOST_EARLIER])
    return UserHabits(
        earlier=len(earlier),
        more=len(ids) > MOST_EARLIER,
        effects=_effects(record, earlier),
        seen=_seen(record, earlier),
        amount=_amount(record, earlier),
    )


class _Score(NamedTuple):
    """What Sentry found in one request, by code."""

    effects: dict[str, float]
    values: dict[str, float]


def _effects(record: DecisionRecord, earlier: Sequence[DecisionRecord]) -> list[UsualEffect]:
    now = _score(record)
    if now is None:
        return []
    before = [each for each in map(_score, earlier) if each is not None]
    strongest_first = sorted(now.effects.items(), key=lambda each: -abs(each[1]))
    return [_usual(code, effect, now.values.get(code), before) for code, effect in strongest_first]


def _usual(code: str, effect: float, value: float | None, before: list[_Score]) -> UsualEffect:
    measured = [each.values[code] for each in before if code in each.values]
    return UsualEffect(
        code=code,
        sentence=said_reason(code, effect, value) or "",
        effect=effect,
        value=value,
        usual_effect=fmean([each.effects.get(code, 0.0) for each in before]) if before else None,
        usual_value=median(measured) if measured else None,
        seen=sum(code in each.effects for each in before),
    )


def _score(record: DecisionRecord) -> _Score | None:
    """What Sentry found; None where it gave no reasons."""
    for stage in record.stages:
        result = stage.result
        if stage.name == SENTRY.name and "reasons" in result:
            values = result.get("signals") or {}
            known = {code: value for code, value in values.items() if type(value) in (int, float)}
            return _Score(recorded_reasons(result), known)
    return None


def _seen(record: DecisionRecord, earlier: Sequence[DecisionRecord]) -> list[SeenBefore]:
    counts = Counter(each for other in earlier for each in entities_of(other))
    mine = [each for each in entities_of(record) if each.kind is not EntityType.USER]
    return [SeenBefore(each, counts[each]) for each in mine] if earlier else []


def _amount(record: DecisionRecord, earlier: Sequence[DecisionRecord]) -> UsualAmount | None:
    now, currency = _paid(record)
    before = [amount for amount, other in map(_paid, earlier) if other == currency]
    known = [amount for amount in before if amount is not None]
    if now is None or not known:
        return None
    return UsualAmount(currency, now, median_low(known), min(known), max(known), len(known))


def _paid(record: DecisionRecord) -> tuple[float | None, str | None]:
    amount = subject_of(record).order.amount
    if amount is None:
        return None, None
    return float(bytes(amount.amount)), amount.currency
