"""A report as tables of cells, from which page, PDF and CSV are written alike."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from gatehouse.admin.reports.types.report import MonthlyReport, OrderCounts, OrderMoney
from gatehouse.console.visit import Visit
from gatehouse.core.clock import Moment
from gatehouse.core.files.csv_output import csv_lines, plain_cell

_UNKNOWN: Final = "–"
_MONEY: Final = (
    *("orders", "accepted", "fraud", "disputed", "turned_away", "saved", "wrongly_declined"),
)


class Share(NamedTuple):
    """A part of a whole."""

    part: int
    whole: int


class Paid(NamedTuple):
    """An amount in a currency."""

    micros: int
    currency: str


class Took(NamedTuple):
    """A span of time."""

    seconds: int | None


class Named(NamedTuple):
    """A word that has a text in every language, by its key."""

    key: str


Cell = int | str | Moment | Share | Paid | Took | Named


class ReportTable(NamedTuple):
    """One table; its name and those of its columns have texts."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    words: int = 1
    """How many columns are no figures."""


def tables_of(report: MonthlyReport) -> list[ReportTable]:
    """All tables of a report that have rows."""
    found = (
        ReportTable("orders", ("figure", "number", "share"), [*_orders(report)]),
        ReportTable(
            "money",
            ("figure", "currency", "number", "amount", "share"),
            [row for each in report.money for row in _money(each)],
            words=2,
        ),
        ReportTable("reviews", ("figure", "value"), [*_reviews(report)]),
        ReportTable(
            "analysts",
            ("analyst", "handled", "median", "overturned", "overturned_share"),
            [
                (
                    e.by,
                    e.handled,
                    Took(e.median_seconds),
                    e.overturned,
                    Share(e.overturned, e.handled),
                )
                for e in report.analysts
            ],
        ),
        ReportTable(
            "markets",
            ("country", "orders", *_RATES),
            [(each.country or _UNKNOWN, each.orders, *_rates(each)) for each in report.markets],
        ),
        ReportTable(
            "rules",
            ("rule_set", "rule", "state", "hits", "declined", "precision"),
            [
                (
                    *(
                        e.rule_set,
                        e.rule,
                        Named("reports.states.shadow" if e.shadow else "reports.states.live"),
                    ),
                    *(e.hits, e.declined, Share(e.fraud, e.fraud + e.legitimate)),
                )
                for e in report.rules
            ],
            words=3,
        ),
        ReportTable(
            "changes",
            ("change", "at", "span", "when", "orders", *_RATES),
            [*_changes(report)],
            words=4,
        ),
    )
    return [each for each in found if each.rows]


_RATES: Final = ("acceptance", "review", "decline", "fraud_rate", "dispute_rate")


def _rates(counts: OrderCounts) -> tuple[Share, ...]:
    return (
        Share(counts.accepted, counts.orders),
        Share(counts.reviewed, counts.orders),
        Share(counts.declined, counts.orders),
        Share(counts.fraud, counts.labelled),
        Share(counts.disputed, counts.accepted),
    )


def _orders(report: MonthlyReport) -> Iterator[Sequence[Cell]]:
    counts = report.counts
    yield Named("reports.figures.requests"), report.requests, ""
    yield Named("reports.figures.orders"), counts.orders, ""
    numbers = (counts.accepted, counts.reviewed, counts.declined, counts.fraud, counts.disputed)
    for name, number, share in zip(_RATES, numbers, _rates(counts), strict=True):
        yield Named(f"reports.figures.{name}"), number, share


def _money(each: OrderMoney) -> Iterator[Sequence[Cell]]:
    wholes = {"fraud": each.accepted, "disputed": each.accepted}
    for name in _MONEY:
        found, whole = getattr(each, name), wholes.get(name, each.orders)
        micros = micros_of(found.amount)
        share = Share(micros, micros_of(whole.amount))
        paid = Paid(micros, each.currency)
        yield Named(f"reports.money.{name}"), each.currency, found.count, paid, share


def _reviews(report: MonthlyReport) -> Iterator[Sequence[Cell]]:
    found = report.reviews
    yield Named("reports.reviews.opened"), found.opened
    yield Named("reports.reviews.resolved"), found.resolved
    yield Named("reports.reviews.median"), Took(found.median_seconds)
    yield Named("reports.reviews.nine_in_ten"), Took(found.nine_in_ten_seconds)
    yield Named("reports.reviews.target"), Took(found.target_hours * 3600)
    yield Named("reports.reviews.within_target"), Share(found.within_target, found.resolved)
    yield Named("reports.reviews.waiting_before"), found.waiting_before
    yield Named("reports.reviews.waiting_after"), found.waiting_after


def _changes(report: MonthlyReport) -> Iterator[Sequence[Cell]]:
    for each in report.rule_changes:
        name, span = f"{each.rule_set} v{each.version}", Took(each.span_seconds)
        for when, counts in (("before", each.before), ("after", each.after)):
            yield name, each.at, span, Named(f"reports.when.{when}"), counts.orders, *_rates(counts)


def micros_of(text: str) -> int:
    """The millionths of a sum, which can be larger than any one amount."""
    units, _, decimals = text.partition(".")
    return int(units) * 1_000_000 + int(decimals.ljust(6, "0"))


def written(visit: Visit, cell: Cell) -> str:
    """A cell as a person reads it."""
    if isinstance(cell, Share):
        return visit.formats.percent(cell.part / cell.whole, 2) if cell.whole else _UNKNOWN
    if isinstance(cell, Paid):
        return visit.money(cell.micros, cell.currency)
    if isinstance(cell, Took):
        return _UNKNOWN if cell.seconds is None else visit.formats.span(cell.seconds * 1000)
    if isinstance(cell, Named):
        return visit.text(cell.key)
    if isinstance(cell, Moment):
        return visit.formats.moment(cell, "short")
    return visit.number(cell, 0) if isinstance(cell, int) else cell


def report_csv(visit: Visit, report: MonthlyReport) -> bytes:
    """All tables one after the other, each below a line with its name; numbers are plain."""
    lines: list[Sequence[object]] = [(visit.text("reports.title"), report.month, report.time_zone)]
    for table in tables_of(report):
        columns = [visit.text(f"reports.columns.{name}") for name in table.columns]
        lines += [(), (visit.text(f"reports.tables.{table.name}"),), columns]
        lines += [[_plain(visit, cell) for cell in row] for row in table.rows]
    return csv_lines(lines).encode()


def _plain(visit: Visit, cell: Cell) -> object:
    if isinstance(cell, Share):
        return f"{cell.part / cell.whole:.6f}" if cell.whole else ""
    if isinstance(cell, Paid):
        return f"{cell.micros // 1_000_000}.{cell.micros % 1_000_000:06d}"
    if isinstance(cell, Took):
        return "" if cell.seconds is None else cell.seconds
    if isinstance(cell, Named):
        return written(visit, cell)
    return cell if isinstance(cell, int) and not isinstance(cell, Moment) else plain_cell(str(cell))
