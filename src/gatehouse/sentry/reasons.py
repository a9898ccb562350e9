"""Reasons that are no signals: they say how a score came about, and never move it."""

from typing import Final, NamedTuple


class Remark(NamedTuple):
    """A reason without weight: its code and its sentence."""

    code: str
    says: str


MEMORY_UNAVAILABLE: Final = Remark(
    "MEMORY_UNAVAILABLE",
    "What was seen before could not be looked up, so this score is about the request alone.",
)
REMARKS: Final = {each.code: each for each in (MEMORY_UNAVAILABLE,)}
LEARNED: Final = "learned"
"""Begins the name of a scorecard that training made; its version follows."""
