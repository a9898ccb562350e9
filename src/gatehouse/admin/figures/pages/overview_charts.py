"""The charts of the overview: decisions, money and fraud over time."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from gatehouse.admin.figures.use_cases.overview import BucketCounts, Overview
from gatehouse.console.charts.charts import Series, Words
from gatehouse.console.charts.plots import TimeChart, Zoom, zoom_of
from gatehouse.console.forms.spans import part_labels
from gatehouse.console.visit import Visit
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.figures.buckets import Bucket


def decisions_chart(visit: Visit, found: Overview) -> Markup:
    """How many requests ended how, part by part."""
    series = [
        _counted(visit, found, "common.outcomes.ACCEPT", lambda part: part.accepted, "good"),
        _counted(visit, found, "common.outcomes.REVIEW", lambda part: part.reviewed, "warn"),
        _counted(visit, found, "common.outcomes.DECLINE", lambda part: part.declined, "bad"),
        _counted(
            visit, found, "overview.checks", lambda part: part.requests - part.decided, "plain"
        ),
    ]
    words = Words(
        title=visit.text("overview.decisions"),
        description=visit.text("overview.decisions_words"),
        label=visit.text("overview.when"),
        axis=visit.text("overview.figures.requests"),
        table=visit.text("common.data"),
        write=lambda value: visit.number(value, 0),
    )
    return _over_time(visit, found, words, series)


def money_chart(visit: Visit, found: Overview) -> Markup:
    """What orders came to that were accepted, turned away, and kept from fraud."""
    series = [
        _worth(visit, found, "taken", lambda part: part.taken_micros, "good"),
        _worth(visit, found, "turned_away", lambda part: part.turned_away_micros, "plain"),
        _worth(visit, found, "saved", lambda part: part.saved_micros, "info"),
    ]
    words = Words(
        title=visit.text("overview.money"),
        description=visit.text("overview.money_words"),
        label=visit.text("overview.when"),
        axis=visit.text("overview.worth", currency=_currency(visit)),
        table=visit.text("common.data"),
        write=lambda value: visit.money(round(value * MICROS_PER_UNIT)),
        mark=lambda value: visit.number(value, 0),
    )
    return _over_time(visit, found, words, series)


def fraud_chart(visit: Visit, found: Overview) -> Markup | None:
    """The share of fraud by month of the order; None while nothing is labelled."""
    months = found.fraud_by_month
    if not any(each.labelled for each in months):
        return None
    words = Words(
        title=visit.text("overview.fraud"),
        description=visit.text("overview.fraud_words"),
        label=visit.text("overview.month"),
        axis=visit.text("overview.fraud_axis"),
        table=visit.text("common.data"),
        write=lambda value: visit.formats.percent(value / 100),
    )
    shares = [None if m.fraud_rate is None else m.fraud_rate * 100 for m in months]
    starts = [month.start_ms for month in months]
    return TimeChart(
        words=words,
        labels=part_labels(visit, starts, Bucket.MONTH),
        series=[Series(visit.text("overview.figures.fraud"), shares, "bad")],
        zoom=_zoom(visit, starts, found.until_ms),
        unit=visit.formats.percent_sign,
    ).drawn()


def _currency(visit: Visit) -> str:
    assert visit.account is not None
    return visit.account.currency


def _counted(
    visit: Visit, found: Overview, key: str, count: Callable[[BucketCounts], int], tone: str
) -> Series:
    return Series(visit.text(key), [count(part) for part in found.over_time], tone)


def _worth(
    visit: Visit, found: Overview, name: str, micros: Callable[[BucketCounts], int], tone: str
) -> Series:
    values = [micros(part) / MICROS_PER_UNIT for part in found.over_time]
    return Series(visit.text(f"overview.figures.{name}"), values, tone)


def _over_time(visit: Visit, found: Overview, words: Words, series: Sequence[Series]) -> Markup:
    starts = [part.start_ms for part in found.over_time]
    return TimeChart(
        words=words,
        labels=part_labels(visit, starts, found.bucket),
        series=series,
        zoom=_zoom(visit, starts, found.until_ms),
        stacked=True,
    ).drawn()


def _zoom(visit: Visit, starts_ms: Sequence[int], until_ms: int) -> Zoom:
    url, hint = visit.url("overview"), visit.text("overview.zoom")
    return zoom_of(url, hint, starts_ms, until_ms, visit.formats.zone)
