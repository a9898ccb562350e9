"""Audits examples on their own, before any model is made of them."""

from gatehouse.core.errors import InvalidInput
from gatehouse.training.audit.audit import AuditOptions, audit_labels, labels_told
from gatehouse.training.examples import Examples
from gatehouse.training.model_training import TrainingOptions, in_order, why_nothing
from gatehouse.training.presuming import presume
from gatehouse.training.report.audit import LabelAudit


def audit_examples(
    examples: Examples, options: TrainingOptions, now_s: float, reported_since_s: float | None
) -> LabelAudit:
    """What a training with these options would learn from, as the checks find it."""
    told = labels_told(examples)
    if options.presume:
        presume(examples, reported_since_s)
    rows = in_order(examples)
    if not len(rows):
        raise InvalidInput(why_nothing(examples, options))
    return audit_labels(examples, rows, told, AuditOptions(now_s, options.holdout))
