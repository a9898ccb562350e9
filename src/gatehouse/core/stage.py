"""What a stage is: a named, priced, time-limited step that turns a case into a result."""

from typing import Protocol

from gatehouse.core.case import Case, StageResult


class Stage(Protocol):
    """One function of the service as the engine sees it.

    `run` may raise `ConnectorFailed` or exceed `time_limit_ms`; the engine then asks
    `unavailable` for the truthful answer, which costs nothing.
    """

    @property
    def name(self) -> str:
        """The name shown in ``pipelineStages``."""

    @property
    def fee_type(self) -> str:
        """The fee schedule's word for this stage."""

    @property
    def time_limit_ms(self) -> int:
        """How long `run` may take."""

    async def run(self, case: Case) -> StageResult:
        """Do the work."""

    def unavailable(self, case: Case) -> StageResult:
        """The result when an outside party failed or was late."""
