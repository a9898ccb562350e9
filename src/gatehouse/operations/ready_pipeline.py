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
    """Its stages, free until `steps_at` gives them their fees."""
    reads: tuple[str, ...]
    """The objects of a request that its stages look at."""
    needs: dict[str, tuple[str, ...]]
    """What a caller must send, and which stages need it."""
    priced: dict[tuple[tuple[str, int], ...], tuple[Step, ...]] = {}
    """The stages by the account's fees, which hardly ever change; made when they are needed."""

    def steps_at(self, fees: Mapping[str, int]) -> tuple[Step, ...]:
        """The stages for an account with these fees."""
        by_type = tuple(fees.items())
        known = self.priced.get(by_type)
        if known is None:
            self.priced.clear()
            stages = self.definition.stages
            known = self.priced[by_type] = tuple(
                msgspec.structs.replace(each, fee=stages[each.position].fee(fees))
                for each in self.steps
            )
        return known
