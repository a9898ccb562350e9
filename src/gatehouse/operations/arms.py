"""Chooses the arm of a live experiment for a request, and notes it among the request's signals.

Requests of accounts without an experiment never come here.
"""

from collections.abc import Callable

from gatehouse.core.cards.numbers import CardOfRequest
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.decisions.record import RecordedSignals
from gatehouse.pipeline.experiment import Arm, AssignedBy, Experiment
from gatehouse.pipeline.job import SignalBuilder
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.signals.request_parts import SignalInput

Hasher = Callable[[str], str]


class ArmChooser:
    """Chooses by a keyed hash of the card or the user, so that the same one has the same arm."""

    def __init__(self, hashed: Hasher) -> None:
        self._hashed = hashed

    def arm(
        self, experiment: Experiment, card: CardOfRequest | None, inputs: ValuesByType
    ) -> Arm | None:
        """The arm; None for a request without a card or a user, which takes no part."""
        unit: str | int | None
        if experiment.assigned_by is AssignedBy.CARD:
            unit = None if card is None else card.number.reveal()
        else:
            given = inputs.find(SignalInput)
            unit = None if given is None else drop_placeholder(given.user_id)
        if unit is None:
            return None
        return experiment.arm_of(self._hashed(f"{experiment.id} {unit}"))


class ArmSignals:
    """Describes a request that takes part in an experiment: as any other, and with its arm."""

    def __init__(self, builder: SignalBuilder, experiment: Experiment, arm: Arm) -> None:
        self._builder = builder
        self._told = {"experiment.id": experiment.id, "experiment.arm": arm.value}

    async def describe(self, case: Case) -> None:
        """Fill the case's signals."""
        await self._builder.describe(case)
        case.request_signals |= self._told
        case.signals |= self._told

    def facts(self, case: Case) -> RecordedSignals:
        """What the decision record keeps."""
        return self._builder.facts(case)
