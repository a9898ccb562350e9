"""Spans of time as people write them: 90d, 24h, 15m."""

import re
from typing import Final

_UNITS_MS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def parse_span(text: str) -> int:
    """The milliseconds of a span such as 90d, 24h or 15m; or `ValueError`."""
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise ValueError("a span of time is a number with s, m, h or d, such as 24h or 90d")
    return int(match.group(1)) * _UNITS_MS[match.group(2)]
