"""The operation that tells callers of the pipelines of their account."""

from typing import Final

from gatehouse.api.free_operations import FreeCall, free_operation, operations_of
from gatehouse.operations.pipeline_messages import PipelinesResponse
from gatehouse.operations.planning import Pipelines


class PipelineRoutes:
    """Answers which pipelines there are."""

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines

    @free_operation(
        "GET /pipelines",
        scope="pipeline",
        operation="listPipelines",
        field="pipelinesResponse",
        told="The pipelines",
    )
    async def listing(self, call: FreeCall[None]) -> PipelinesResponse:
        """Pipelines.

        The pipelines that the account can call, and what each needs.
        """
        return await self._pipelines.listing(call.account_id)


OPERATIONS: Final = operations_of(PipelineRoutes)
