"""An audit of labels in words, for a terminal."""

import textwrap
from typing import Final

from gatehouse.training.report.audit import AuditCheck, AuditLevel, LabelAudit

TITLES: Final = {
    AuditCheck.SINGLE_FEATURE: "one signal alone",
    AuditCheck.STRONG_VALUE: "one value with very much fraud",
    AuditCheck.IDENTIFIERS: "identifiers alone",
    AuditCheck.FRAUD_FREE: "a large part without fraud",
    AuditCheck.CONTRADICTIONS: "equal requests, other labels",
    AuditCheck.AFTERWARDS: "known only afterwards",
    AuditCheck.FALLING_QUALITY: "quality over time",
    AuditCheck.LABEL_DELAY: "labels that come late",
    AuditCheck.BALANCE: "how many of each",
    AuditCheck.REPETITIONS: "repetitions",
}
_WIDTH: Final = 100
_COUNTED: Final = {
    AuditLevel.WARNING: "warnings",
    AuditLevel.NOTICE: "notices",
    AuditLevel.UNKNOWN: "not told",
}


def audit_text(audit: LabelAudit) -> str:
    """All findings, one after the other."""
    head = f"labels of {audit.records:,} requests, {audit.frauds:,} of them fraud"
    level = max(len(each.level) for each in audit.findings)
    title = max(len(TITLES[each.check]) for each in audit.findings)
    lines = []
    for each in audit.findings:
        start = f"{each.level:<{level}}  {TITLES[each.check]:<{title}}  "
        lines.append(textwrap.fill(each.said, _WIDTH, initial_indent=start, subsequent_indent="  "))
    return "\n".join([head, "", *lines])


def audit_summary(audit: LabelAudit) -> str:
    """How many checks found something, and what they say; for the report of a model."""
    counted = [
        f"{len(audit.at(level))} {words}" for level, words in _COUNTED.items() if audit.at(level)
    ]
    told = f"audit of the labels, {len(audit.findings)} checks: {', '.join(counted) or 'all ok'}"
    serious = [*audit.at(AuditLevel.WARNING), *audit.at(AuditLevel.NOTICE)]
    return "\n".join([told, *(f"{each.level}: {each.said}" for each in serious)])
