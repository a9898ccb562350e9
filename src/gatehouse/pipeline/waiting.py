"""When a rule of a pipeline can be judged: once every stage that it speaks of has run.

Which signals a stage leaves is declared in its `spec.py`, so a new stage is covered by itself.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from gatehouse.core.stages.registry import REGISTRY


class Waiting:
    """The stages of one pipeline, and what can be known after each."""

    def __init__(self, stages: Sequence[str]) -> None:
        self._places: Final = {
            name: place for place, name in enumerate(stages) if not REGISTRY[name].runs_rule_set
        }
        paying = [place for name, place in self._places.items() if REGISTRY[name].pays]
        self.payment: Final = min(paying, default=len(stages))
        """The place of the stage that pays; past the last one when there is none."""
        self._rules_known = 0
        """The place after which the Rules stages noted so far have judged every rule.

        Rules about a payment do not count: nothing else may wait until it was made.
        """

    def judged_after(self, place: int, signals: Iterable[str]) -> int:
        """The place of the last stage that a rule of the stage at `place` has to wait for.

        It is `place` itself when there is none. Of a stage that the pipeline does not have,
        nothing will ever be known, so that nobody waits for it.
        """
        last = place
        for signal in signals:
            spec = REGISTRY.leaving(signal)
            if spec is not None:
                known = self._places.get(spec.name, 0)
                last = max(last, self._rules_known if spec.runs_rule_set else known)
        return last

    def note(self, parts: Iterable[int]) -> None:
        """Tell after which places a Rules stage judges its rules, in order of the stages."""
        before_payment = [place for place in parts if place < self.payment]
        self._rules_known = max([self._rules_known, *before_payment])
