"""How far a job is, in the words of every face."""

from enum import StrEnum


class JobState(StrEnum):
    """How far a job is."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"
