"""What an audit of labels found: ten checks, each with its figures and what to do.

It is stored with the report of a model and read wherever that is shown, so this module needs none
of the packages that training does.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.wording.notes import read_note


class AuditCheck(StrEnum):
    """What is looked for."""

    SINGLE_FEATURE = "single_feature"
    STRONG_VALUE = "strong_value"
    IDENTIFIERS = "identifiers"
    FRAUD_FREE = "fraud_free"
    CONTRADICTIONS = "contradictions"
    AFTERWARDS = "afterwards"
    FALLING_QUALITY = "falling_quality"
    LABEL_DELAY = "label_delay"
    BALANCE = "balance"
    REPETITIONS = "repetitions"


class AuditLevel(StrEnum):
    """How a check ended."""

    OK = "ok"
    NOTICE = "notice"
    """Worth a look; the model may still be what its figures say."""
    WARNING = "warning"
    """Its figures are likely better than it will be, or it learns what is not so."""
    UNKNOWN = "unknown"
    """There is too little to tell."""


class AuditFinding(CamelStruct):
    """What one check found; names of signals and figures, never a value of a person."""

    check: AuditCheck
    level: AuditLevel
    said: str
    """What was found, and what to do about it."""
    figures: Mapping[str, float | int | str] = {}


class LabelAudit(CamelStruct):
    """All findings about some examples."""

    records: int
    frauds: int
    findings: tuple[AuditFinding, ...] = ()

    def at(self, level: AuditLevel) -> list[AuditFinding]:
        """The findings of one level."""
        return [each for each in self.findings if each.level is level]

    @property
    def worst(self) -> AuditLevel:
        """The most serious level that was found."""
        order = (AuditLevel.WARNING, AuditLevel.NOTICE, AuditLevel.OK)
        return next((level for level in order if self.at(level)), AuditLevel.UNKNOWN)


def read_findings(audit: LabelAudit | None) -> LabelAudit | None:
    """A stored audit, with sentences that can be said in other languages."""
    if audit is None:
        return None
    findings = tuple(
        msgspec.structs.replace(each, said=read_note(each.said)) for each in audit.findings
    )
    return msgspec.structs.replace(audit, findings=findings)
