"""A pipeline of an account, compiled and priced."""

from collections.abc import Mapping

import msgspec

from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.pipeline.job import Step


class Pipeline(msgspec.Struct, frozen=True):
    """A pipeline of an account, ready to run."""

    definition: PipelineDefinition
    version: int
    steps: tuple[Step, ...]
    """Its stages; one without a fee of its own is free until `steps_at` gives it one."""
    reads: tuple[str, ...]
    """The objects of a request that its stages look at."""
    needs: dict[str, tuple[str, ...]]
    """What a caller must send, and which stages need it."""
    priced: dict[tuple[int, ...], tuple[Step, ...]] = {}
    """The stages by the account's fees, which hardly ever change; made when they are needed."""

    def steps_at(self, fees: Mapping[str, int]) -> tuple[Step, ...]:
        """The stages for an account with these fees."""
        by_type = tuple(fees.values())
        known = self.priced.get(by_type)
        if known is None:
            self.priced.clear()
            known = self.priced[by_type] = self._priced(fees)
        return known

    def _priced(self, fees: Mapping[str, int]) -> tuple[Step, ...]:
        stages = self.definition.stages
        return tuple(
            [
                step
                if stages[step.position].fee_micros is not None
                else msgspec.structs.replace(step, fee=fees[step.stage.fee_type])
                for step in self.steps
            ]
        )
