"""Finds custom inputs that are worth remembering while requests are replayed, as servers do."""

from typing import Final

from gatehouse.core.stages.case import ValuesByType
from gatehouse.sentry.found.found_inputs import FoundInputs, InputKind, with_findings
from gatehouse.sentry.found.input_watch import InputWatch
from gatehouse.sentry.policy import SentryPolicy


class InputFinder:
    """What an account declared, and what was found so far."""

    def __init__(self, policy: SentryPolicy, found: FoundInputs) -> None:
        self.watch: Final = InputWatch()
        self._policy = policy
        self._found = found

    @property
    def policies(self) -> ValuesByType:
        """What the next request is scored with."""
        return ValuesByType.of(self._policy, self._found)

    def look(self, at_ms: int) -> list[tuple[str, InputKind]]:
        """The keys that are remembered from now on, or as something else than before."""
        news = self.watch.take_news()
        if not news:
            return []
        before = {each.key: each.kind for each in self._found.inputs if each.remembered}
        for findings in news.values():
            self._found = with_findings(self._found, self._policy.entities, findings, at_ms)
        return [
            (each.key, each.kind)
            for each in self._found.inputs
            if each.kind is not None and each.remembered and before.get(each.key) is not each.kind
        ]
