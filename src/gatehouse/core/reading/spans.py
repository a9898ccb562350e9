"""The span of time that somebody names with two texts."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import doc
from gatehouse.core.clock import parse_time
from gatehouse.core.errors import InvalidFields

_DAY_MS: Final = 86_400_000

SinceText = Annotated[
    Annotated[str, Meta(max_length=40)] | None,
    doc("The first moment: a day, or a time such as 2026-11-15T08:30:00Z.", "2026-10-01"),
]
UntilText = Annotated[
    Annotated[str, Meta(max_length=40)] | None,
    doc("The first moment after it, in the same words. Default: now.", "2026-11-01"),
]


def read_span(since: str | None, until: str | None, now_ms: int, days: int) -> tuple[int, int]:
    """The span that two texts name, by default the last days; or `InvalidFields` with both."""
    wrong: dict[str, list[str]] = {}
    start = _moment("since", since, max(0, now_ms - days * _DAY_MS), wrong)
    # A record of this very millisecond belongs to the span.
    end = _moment("until", until, now_ms + 1, wrong)
    if not wrong and start >= end:
        wrong["since"] = ["must be earlier than until"]
    if wrong:
        raise InvalidFields(wrong)
    return start, end


def _moment(field: str, text: str | None, default: int, wrong: dict[str, list[str]]) -> int:
    if text is None:
        return default
    try:
        at_ms = parse_time(text)
    except ValueError:
        at_ms = -1
    if not 0 <= at_ms < 2**48:
        wrong[field] = ["must be a day such as 2026-11-15, or a time such as 2026-11-15T08:30:00Z"]
    return at_ms
