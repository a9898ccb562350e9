"""Checks of identifiers: whether they alone are the model, and what the trial knows already."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatehouse.training.audit.label_checks import area_text
from gatehouse.training.audit.later import Area, measured_area
from gatehouse.training.entity_rows import EntityRows, Keys
from gatehouse.training.examples import Rows, Values
from gatehouse.training.report import audit_phrases as phrases
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel
from gatehouse.training.report.phrases import percent_text

AS_GOOD: Final = 0.01
"""Areas that differ by less are the same to somebody who decides with them."""
LEAST_AREA: Final = 0.8
"""Below, neither identifiers nor the rest tell much, and there is nothing to be flattered by."""
MANY_REPEATED: Final = 0.01
MANY_KNOWN_FRAUDS: Final = 0.5
_PRIOR: Final = 5.0
"""How many usual requests an entity begins with."""
_LEAST_MET: Final = 0.05
"""Of the newest requests; where fewer name an entity of before, identifiers are not asked."""


class Split(NamedTuple):
    """The requests by time: those that a trial learns from, and the newest after them."""

    earlier: Rows
    earlier_fraud: NDArray[np.bool_]
    newest: Rows
    newest_fraud: NDArray[np.bool_]


def check_identifiers(entities: EntityRows, split: Split, everything: Area) -> AuditFinding:
    """Whether entities with their earlier labels do as well as `everything` that was measured."""
    risks, met = _risks_by_entity(entities, split)
    if met < _LEAST_MET:
        return AuditFinding(AuditCheck.IDENTIFIERS, AuditLevel.UNKNOWN, phrases.NO_ENTITIES())
    area = measured_area(split.newest_fraud, risks)
    level, phrase = AuditLevel.OK, phrases.IDENTIFIERS_FINE
    if area.is_inverted or everything.is_inverted:
        level, phrase = AuditLevel.WARNING, phrases.IDENTIFIERS_INVERTED
    elif area.is_vague or everything.is_vague:
        level, phrase = AuditLevel.UNKNOWN, phrases.IDENTIFIERS_VAGUE
    elif area.value >= LEAST_AREA and area.value > everything.value - AS_GOOD:
        level, phrase = AuditLevel.WARNING, phrases.IDENTIFIERS
    said = phrase(identifiers=area_text(area), everything=area_text(everything))
    figures: dict[str, float | int | str] = {}
    for name, one in (("identifiers", area), ("everything", everything)):
        named = (name, f"{name} low", f"{name} high")
        figures |= zip(named, one.figures, strict=True)
    return AuditFinding(AuditCheck.IDENTIFIERS, level, said, figures)


def check_repetitions(entities: EntityRows, split: Split) -> AuditFinding:
    """Whether the newest requests repeat earlier ones, or come from fraudsters that are known."""
    if not any(len(entities.of(split.newest, transactions=each)[0]) for each in (True, False)):
        return AuditFinding(AuditCheck.REPETITIONS, AuditLevel.UNKNOWN, phrases.NO_ENTITIES())
    repeated = _share_met(entities, split.earlier, split.newest, transactions=True)
    frauds = split.newest[split.newest_fraud]
    before = split.earlier[split.earlier_fraud]
    known = _share_met(entities, before, frauds, transactions=False)
    figures = {"repeatedShare": round(repeated, 4), "knownFraudShare": round(known, 4)}
    if repeated > MANY_REPEATED:
        said = phrases.REPEATED(share=percent_text(repeated, 1))
        return AuditFinding(AuditCheck.REPETITIONS, AuditLevel.WARNING, said, figures)
    if known > MANY_KNOWN_FRAUDS:
        said = phrases.SAME_FRAUDSTERS(share=percent_text(known, 0))
        return AuditFinding(AuditCheck.REPETITIONS, AuditLevel.NOTICE, said, figures)
    said = phrases.NOT_REPEATED(share=percent_text(repeated, 1), known=percent_text(known, 0))
    return AuditFinding(AuditCheck.REPETITIONS, AuditLevel.OK, said, figures)


def _risks_by_entity(entities: EntityRows, split: Split) -> tuple[Values, float]:
    """The sum of smoothed log-odds of each request's entities, and how many have a known one."""
    here, keys = entities.of(split.earlier, transactions=False)
    there, asked = entities.of(split.newest, transactions=False)
    risks = np.zeros(len(split.newest))
    if not len(keys) or not len(asked):
        return risks, 0.0
    known, which = np.unique(keys, return_inverse=True)
    rate = float(split.earlier_fraud.mean())
    seen = np.bincount(which) + _PRIOR
    frauds = np.bincount(which, split.earlier_fraud[here]) + _PRIOR * rate
    odds = np.log(frauds / (seen - frauds)) - np.log(rate / (1 - rate))
    places, is_known = _places(known, asked)
    np.add.at(risks, there[is_known], odds[places[is_known]])
    return risks, len(np.unique(there[is_known])) / len(split.newest)


def _share_met(entities: EntityRows, before: Rows, after: Rows, *, transactions: bool) -> float:
    """How many of the later rows have an entity of the earlier ones."""
    if not len(after):
        return 0.0
    _, keys = entities.of(before, transactions=transactions)
    there, asked = entities.of(after, transactions=transactions)
    return len(np.unique(there[np.isin(asked, keys)])) / len(after)


def _places(known: Keys, asked: Keys) -> tuple[Keys, NDArray[np.bool_]]:
    """Where the asked keys are among the known ones, which are in order, and whether they are."""
    places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return places, known[places] == asked
