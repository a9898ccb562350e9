"""The span of time that a page is about: a preset, or from one day to another."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import parse_day_end, parse_local
from gatehouse.figures.buckets import Bucket, FigureSpan

PRESETS: Final = {"today": 0, "7d": 6, "30d": 29, "90d": 89, "365d": 364}
"""How many days before today each begins."""
USUAL: Final = "30d"
_STYLES: Final = {Bucket.HOUR: "short", Bucket.MONTH: "month"}
"""How the parts of a span are named, if not by their days."""


class ChosenSpan(msgspec.Struct, frozen=True):
    """What was chosen, and what it comes to."""

    preset: str | None
    first: str
    last: str
    """The days as date fields write them."""
    figures: FigureSpan


def chosen_span(visit: Visit) -> ChosenSpan:
    """The span that the query names; thirty days without one."""
    zone, query = visit.formats.zone, visit.query
    today = datetime.fromtimestamp(visit.now_ms / 1000, zone).date()
    first, last, preset = query.get("from", ""), query.get("to", ""), query.get("span", "")
    if not (first or last):
        preset = preset if preset in PRESETS else USUAL
        first, last = str(today - timedelta(days=PRESETS[preset])), str(today)
    else:
        preset = ""
        first, last = first or last, last or str(today)
    try:
        begin, end = parse_local(first, zone), parse_day_end(last, zone)
    except (ValueError, OverflowError):
        raise Told(visit.text("overview.wrong_day")) from None
    return ChosenSpan(preset or None, first, last, FigureSpan(begin, end, zone.key))


def part_labels(visit: Visit, starts_ms: Sequence[int], bucket: Bucket) -> list[str]:
    """The names of the parts of a span, by their starts."""
    style = _STYLES.get(bucket, "day")
    if (
        bucket is Bucket.HOUR
        and len({visit.formats.moment(each, "day") for each in starts_ms}) == 1
    ):
        style = "clock"
    return [visit.formats.moment(each, style) for each in starts_ms]
