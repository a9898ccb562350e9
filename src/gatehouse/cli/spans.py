"""The options `--since` and `--until`: the span of time that a command is about."""

from typing import TYPE_CHECKING, Annotated, Final

from gatehouse.cli.arguments import option, span_argument
from gatehouse.core.clock import iso_time, parse_time
from gatehouse.core.errors import InvalidInput

if TYPE_CHECKING:
    from gatehouse.store.decisions.records import RecordSpan

Since = Annotated[
    str, option("From when on: 30d ago, a day (2026-11-15), or RFC 3339.", metavar="WHEN")
]
Until = Annotated[
    str | None, option("Before when, in the same words. Default: now.", metavar="WHEN")
]

_YEAR_9999_MS: Final = 253_370_764_800_000


def read_span(account_id: str, since: str, until: str | None, now_ms: int) -> "RecordSpan":
    """The account's records of the given span."""
    from gatehouse.store.decisions.records import RecordSpan

    # A record of this very millisecond belongs to the span.
    end_ms = now_ms + 1 if until is None else read_moment("--until", until, now_ms)
    start_ms = read_moment("--since", since, now_ms)
    if start_ms > now_ms:
        raise InvalidInput(f"--since {iso_time(start_ms)} is in the future; name an earlier time")
    if start_ms >= end_ms:
        raise InvalidInput("--since must be earlier than --until")
    return RecordSpan(account_id, start_ms, end_ms)


def read_moment(option: str, text: str, now_ms: int) -> int:
    """The moment that an option names, in milliseconds."""
    if text[-1:] in tuple("smhd") and text[:-1].isdigit():
        return max(0, now_ms - span_argument(text))
    try:
        at_ms = parse_time(text)
    except ValueError:
        raise InvalidInput(
            f"{option} takes a span such as 30d, a day such as 2026-11-15, or a time such as "
            "2026-11-15T08:30:00Z"
        ) from None
    if not 0 <= at_ms < _YEAR_9999_MS:
        raise InvalidInput(f"{option} must be a time since 1970")
    return at_ms
