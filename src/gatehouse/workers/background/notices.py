"""What a server and its background process say to each other, as lines of JSON on one socket."""

from enum import StrEnum

import msgspec

from gatehouse.admin.installation.queries import Backlog
from gatehouse.api.metrics.metrics import CallCounts


class BackgroundNotice(StrEnum):
    """What the server tells: something that need not wait for the next look."""

    CHANGED = "changed"
    """Something was configured: perhaps a webhook."""
    JOBS = "jobs"
    """A job may wait."""
    AUDITED = "audited"
    """There is a new line in the audit log, such as that of a job."""
    TOLD = "told"
    """There is a new event."""


class BackgroundReport(msgspec.Struct, frozen=True):
    """How the background process is, for the probes and metrics of its server."""

    died: dict[str, int] = {}
    """How often each task has died."""
    degraded: list[str] = []
    calls: CallCounts = CallCounts()
    backlog: Backlog | None = None
    months_ahead: int | None = None
