"""Asks all ten checks about examples: what flatters a model, or spoils it.

Every check is a function of its own; this module prepares what they look at, and has them in order.
"""

from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.audit.counts import AMOUNT, count_features
from gatehouse.training.audit.entity_checks import Split, check_identifiers, check_repetitions
from gatehouse.training.audit.feature_checks import (
    check_afterwards,
    check_contradictions,
    check_fraud_free,
    check_single_feature,
    check_strong_value,
)
from gatehouse.training.audit.label_checks import (
    LEAST_OF_EACH,
    LabelBalance,
    PeriodQuality,
    check_balance,
    check_falling_quality,
    check_label_delay,
)
from gatehouse.training.audit.later import areas_later
from gatehouse.training.examples import FRAUD, LEGITIMATE, UNKNOWN, Examples, Rows
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel, LabelAudit
from gatehouse.training.report.audit_phrases import TOO_FEW
from gatehouse.training.sampling import Sample, take_sample

_PER_FRAUD: Final = 10
_MOST_ROWS: Final = 20_000
"""Of a kind; features of all of them fit into some ten megabytes."""
_SEED: Final = 7
_WARM_UP: Final = 0.2
"""The share of the requests that no model here learns from: in a history that is replayed, there
is nothing to remember yet in them, and no label is known."""
_LEARNED: Final = 0.4
"""Up to this share the model over time learns; the rest is four periods."""
_PERIODS: Final = 4
_LEAST_PERIODS: Final = 2
_ABOUT_FEATURES: Final = (
    *(AuditCheck.SINGLE_FEATURE, AuditCheck.STRONG_VALUE, AuditCheck.FRAUD_FREE),
    *(AuditCheck.CONTRADICTIONS, AuditCheck.AFTERWARDS),
)


class AuditOptions(NamedTuple):
    """What the checks must know beside the examples."""

    now_s: float
    """When labels were looked at: of a file, its end."""
    holdout: float
    """The share of the newest requests that models are measured on."""


def labels_told(examples: Examples) -> NDArray[np.bool_]:
    """Which examples have a label of their own, before any is presumed."""
    told: NDArray[np.bool_] = np.array(examples.labels, np.int8) != UNKNOWN
    return told


def audit_labels(
    examples: Examples, rows: Rows, told: NDArray[np.bool_], options: AuditOptions
) -> LabelAudit:
    """Ask all checks about rows with labels, in order of time."""
    fraud = examples.outcomes(rows) == FRAUD
    counts = LabelBalance(
        int(fraud.sum()),
        int((~fraud).sum()),
        int((told[rows] & (examples.outcomes(rows) == LEGITIMATE)).sum()),
    )
    found = [check_balance(counts), _label_delay(examples, rows, told, options)]
    if min(counts.frauds, counts.legitimates) < LEAST_OF_EACH:
        others = [each for each in AuditCheck if each not in {one.check for one in found}]
        found += [_too_few(each, counts.frauds, counts.legitimates) for each in others]
    else:
        sample = _sample(examples, rows)
        found += _of_features(examples.codes, sample)
        found.append(_falling_quality(examples, sample))
        found += _of_entities(examples, rows, sample, options.holdout)
    order = list(AuditCheck)
    findings = tuple(sorted(found, key=lambda each: order.index(each.check)))
    return LabelAudit(len(rows), counts.frauds, findings)


def _sample(examples: Examples, rows: Rows) -> Sample:
    """Frauds and some legitimate requests in order of time, with the amount as a feature."""
    sample = take_sample(
        examples, rows, legitimate_per_fraud=_PER_FRAUD, most=_MOST_ROWS, seed=_SEED
    )
    order = np.argsort(examples.times(sample.rows), kind="stable")
    micros, currency = examples.amounts(sample.rows)
    amounts = micros.astype(np.float64)
    paid = micros > 0
    if paid.any():
        paid &= currency == np.argmax(np.bincount(currency[paid]))
    amounts[~paid] = np.nan
    matrix = np.hstack([sample.matrix, amounts[:, None] / 1e6])[order]
    return msgspec.structs.replace(sample.part(order), matrix=matrix)


def _of_features(codes: tuple[str, ...], sample: Sample) -> list[AuditFinding]:
    counts = count_features((*codes, AMOUNT), sample)
    if not counts:
        frauds = int(sample.fraud.sum())
        return [_too_few(each, frauds, len(sample.fraud) - frauds) for each in _ABOUT_FEATURES]
    return [
        check_single_feature(counts),
        check_strong_value(counts),
        check_fraud_free(counts),
        check_contradictions(sample),
        check_afterwards(counts),
    ]


def _falling_quality(examples: Examples, sample: Sample) -> AuditFinding:
    """How a model of the first part does in later ones, each with as many requests."""
    rows = np.arange(len(sample.fraud))
    learned = sample.part(rows[int(len(rows) * _WARM_UP) : int(len(rows) * _LEARNED)])
    later = np.array_split(rows[int(len(rows) * _LEARNED) :], _PERIODS)
    parts = [part for part in map(sample.part, later) if _has_both(part)]
    if not _has_both(learned) or len(parts) < _LEAST_PERIODS:
        frauds = int(sample.fraud.sum())
        return _too_few(AuditCheck.FALLING_QUALITY, frauds, len(rows) - frauds)
    areas = areas_later(examples.codes, learned, parts)
    days = [_day(float(examples.times(part.rows[:1])[0])) for part in parts]
    periods = list(map(PeriodQuality, days, areas))
    return check_falling_quality(round(learned.weights.sum()), periods)


def _of_entities(
    examples: Examples, rows: Rows, sample: Sample, holdout: float
) -> list[AuditFinding]:
    first = min(int(len(rows) * (1 - holdout)), len(rows) - 1)
    fraud = examples.outcomes(rows) == FRAUD
    split = Split(rows[:first], fraud[:first], rows[first:], fraud[first:])
    is_newest = np.isin(sample.rows, split.newest)
    warm = np.arange(len(is_newest)) >= int(len(is_newest) * _WARM_UP)
    known, asked = sample.part(np.flatnonzero(warm & ~is_newest)), sample.part(is_newest)
    repetitions = check_repetitions(examples.entities, split)
    if not _has_both(known) or not _has_both(asked):
        frauds = int(split.newest_fraud.sum())
        few = _too_few(AuditCheck.IDENTIFIERS, frauds, len(split.newest) - frauds)
        return [few, repetitions]
    [everything] = areas_later(examples.codes, known, [asked])
    return [check_identifiers(examples.entities, split, everything), repetitions]


def _label_delay(
    examples: Examples, rows: Rows, told: NDArray[np.bool_], options: AuditOptions
) -> AuditFinding:
    frauds = rows[(examples.outcomes(rows) == FRAUD) & told[rows]]
    took_s = np.array(examples.known_s)[frauds] - examples.times(frauds)
    return check_label_delay(took_s, options.now_s - examples.times(rows))


def _has_both(part: Sample) -> bool:
    frauds = int(part.fraud.sum())
    return min(frauds, len(part.fraud) - frauds) >= LEAST_OF_EACH // 2


def _too_few(check: AuditCheck, frauds: int, legitimates: int) -> AuditFinding:
    said = TOO_FEW(frauds=frauds, legitimates=legitimates, least=LEAST_OF_EACH)
    return AuditFinding(check, AuditLevel.UNKNOWN, said)


def _day(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).date().isoformat()
