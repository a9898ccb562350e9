"""What stages found, in the words of a person's language."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from gatehouse.console.visit import Visit
from gatehouse.console.words.translation import translator
from gatehouse.core.cards.redaction import recordable
from gatehouse.gateway.spec import GATEWAY
from gatehouse.idverify.spec import ID_VERIFY
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.rules.spec import RULES
from gatehouse.sentry.spec import SENTRY

_GOOD: Final = ("ACCEPT", "MATCH", "FULL_MATCH", "APPROVED", "FULL")
_BAD: Final = ("DECLINE", "FRAUD", "NO_MATCH", "DECLINED", "ERROR", "INPUT_ERROR")
_WARN: Final = (
    *("REVIEW", "RETRY", "PARTIAL_MATCH", "STREET_MATCH", "POSTCODE_MATCH", "UNVERIFIABLE"),
)
_TONES: Final = {
    **dict.fromkeys(_GOOD, "good"),
    **dict.fromkeys(_BAD, "bad"),
    **dict.fromkeys(_WARN, "warn"),
}
_FOUND: Final = {
    RULES.name: ("status",),
    SENTRY.name: ("requestConfidence", "ipScore", "model"),
    PRE_CHECK.name: ("advice", "avsResult", "cvv2Result"),
    ID_VERIFY.name: ("verificationLevel",),
    GATEWAY.name: ("status", "responseCode", "approvalCode", "party", "paymentId"),
}
"""What is told of each stage in few words; of any other, the first few of its results."""
_FIRST_FEW: Final = 4
_NESTED: Final = ("cardHolderNameVerificationResult", "idVerification")


class ShownFinding(msgspec.Struct, frozen=True):
    """One thing that a stage found."""

    name: str
    text: str
    tone: str
    """`good`, `warn`, `bad` or `plain`."""


class StageWords:
    """Says what stages found; `said` hides what is about a person."""

    def __init__(self, visit: Visit, said: Callable[[str], str]) -> None:
        self._visit = visit
        self._said = said

    def of(self, stage: str, result: Mapping[str, Any]) -> list[ShownFinding]:
        """What a stage found, in few words."""
        plain = [name for name, value in result.items() if isinstance(value, str | int | float)]
        wanted = _FOUND.get(stage, plain[:_FIRST_FEW])
        return [
            self._finding(name, result[name]) for name in wanted if result.get(name) is not None
        ]

    def identity(self, result: Mapping[str, Any]) -> list[ShownFinding]:
        """What ID Verify found, one line for each thing that was compared."""
        flat = dict(result)
        for name in _NESTED:
            flat |= result.get(name) or {}
        return [self._finding(name, flat[name]) for name in flat if self._has(_key(name))]

    def shown(self, value: Any) -> str:
        """Any value of a result or a signal."""
        if value is None:
            return self._visit.text("decision.not_known")
        if isinstance(value, bool):
            return self._visit.text("common.yes" if value else "common.no")
        if isinstance(value, int | float):
            return self._visit.number(value, 4)
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        return self._said(recordable(text))

    def _finding(self, name: str, value: Any) -> ShownFinding:
        called = self._visit.text(_key(name)) if self._has(_key(name)) else name
        if not isinstance(value, str):
            return ShownFinding(called, self.shown(value), "plain")
        word = f"decision.results.{value}"
        text = self._visit.text(word) if self._has(word) else self.shown(value)
        return ShownFinding(called, text, _TONES.get(value, "plain"))

    def _has(self, key: str) -> bool:
        return key in translator(self._visit.locale)


def _key(name: str) -> str:
    return f"decision.found.{name}"
