"""gatehouse programmes: show, thresholds, enumeration, what-if."""

from typing import TYPE_CHECKING, Annotated

import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, argument, option
from gatehouse.cli.output import as_data, show, table, warn
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.reading.given import read_given

if TYPE_CHECKING:
    from gatehouse.admin.programmes.types.causes import EventCause
    from gatehouse.admin.programmes.types.report import (
        MeteredProgramme,
        ShownThreshold,
        ShownUnmetered,
    )
    from gatehouse.admin.programmes.types.what_if import WhatIfMonth

app = typer.Typer(no_args_is_help=True)

Month = Annotated[
    str | None, option("A month in UTC; this one if none is given.", metavar="YYYY-MM")
]


@app.command("show")
def show_programmes(
    month: Month = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Meter the networks' programmes: how far a month is from every level, and its forecast.

    Ratios are in basis points. A forecast names the bounds of four cases in five. Below is what let
    the orders through that the events are about.
    """
    from gatehouse.admin.programmes.types.report import MeterFilter
    from gatehouse.admin.programmes.use_cases.metering import get_programmes

    wanted = read_given(MeterFilter, {"month": month})
    report = get_programmes(*open_account(account), wanted)
    head = f"{report.month}, thresholds as of {report.table_as_of}"
    if not report.standings:
        show(as_data(report), f"{head}\nno outcomes are known", as_json)
        return
    headings = ("PROGRAMME", "OF", "MERCHANT", "RATIO", "EVENTS", "SALES", "LEFT", "FORECAST")
    rows = [_standing(each) for each in report.standings]
    right = ("RATIO", "EVENTS", "SALES", "LEFT")
    said = (
        f"{each.programme}, {each.level}: {each.formula}; limit by {_source(each)}"
        for each in report.standings
    )
    formulas = "\n".join(dict.fromkeys(said))
    text = f"{head}\n\n{table(headings, rows, right)}\n\n{formulas}"
    if report.causes:
        text += f"\n\n{_causes(report.causes)}"
    text += "".join(f"\n\n{_not_metered(each)}" for each in report.unmetered)
    warn(report.warnings)
    show(as_data(report), text, as_json)


def _causes(causes: "list[EventCause]") -> str:
    """What let the orders of the events through."""
    headings = ("NETWORK", "LET THROUGH BY", "RULES", "EVENTS", "SHARE %", "SUCH AS")
    rows = [
        (
            *(each.network, _words(each.passed_by), ", ".join(each.rules) or "-"),
            *(f"{each.events:,}", each.share, next(iter(each.request_ids), "-")),
        )
        for each in causes
    ]
    return table(headings, rows, ("EVENTS", "SHARE %"))


def _not_metered(each: "ShownUnmetered") -> str:
    where = ", ".join(each.regions)
    said = f"{each.programme}, {each.network} in {where} since {each.since}: not metered. "
    return f"{said}{each.about} ({'; '.join(each.sources)}{_alone(each.alone)})"


def _alone(alone: str | None) -> str:
    return f"; one source alone: {alone}" if alone else ""


def _source(each: "MeteredProgramme | ShownThreshold") -> str:
    return ("from memory: " if each.unverified else "") + each.source + _alone(each.alone)


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def _standing(each: "MeteredProgramme") -> tuple[str, ...]:
    left = "met" if each.met else "-" if each.events_left is None else f"{each.events_left:,}"
    ahead = each.forecast
    return (
        f"{each.programme}, {each.level}",
        each.of.lower(),
        " ".join(filter(None, (each.merchant_id or "all", each.network, each.region))),
        f"{each.basis_points or '-'} / {each.limit_basis_points}",
        f"{each.events:,} / {each.limit_events:,}",
        f"{each.sales:,} ({each.sales_month})",
        left if not each.missing else ", ".join(one.lower() for one in each.missing),
        "-"
        if ahead is None
        else f"{ahead.events_low:,} to {ahead.events_high:,}: {ahead.outlook.lower()}",
    )


@app.command("thresholds")
def thresholds(account: AccountOption = None, as_json: AsJson = False) -> None:
    """Show the table of thresholds in force, with its sources and what is only from memory.

    GATEHOUSE_PROGRAMMES_FILE names a table that replaces the one that ships.
    """
    from gatehouse.admin.programmes.use_cases.metering import thresholds_in_force

    found = thresholds_in_force(*open_account(account))
    rows = [
        (
            f"{each.programme}, {each.level}",
            each.of.lower(),
            each.since + (f" to {each.until}" if each.until else ""),
            f"{each.basis_points:,}",
            f"{each.events:,}",
            "; ".join(
                filter(
                    None,
                    (
                        f"{each.sales:,} sales" if each.sales else "",
                        f"{each.amount} {each.currency}" if each.amount else "",
                        f"3-D Secure below {each.three_d_secure_below:,}"
                        if each.three_d_secure_below is not None
                        else "",
                        f"only {', '.join(each.regions)}" if each.regions else "",
                        f"not {', '.join(each.except_regions)}" if each.except_regions else "",
                    ),
                )
            )
            or "-",
            _source(each),
        )
        for each in found.thresholds
    ]
    headings = ("PROGRAMME", "OF", "IN FORCE", "RATIO", "EVENTS", "ALSO", "SOURCE")
    name = "the operator's table" if found.own else "the table that ships"
    text = f"{name}, as of {found.as_of}\n\n{table(headings, rows, ('RATIO', 'EVENTS'))}"
    if found.rates:
        rates = [(each.currency, each.to, each.rate, each.since) for each in found.rates]
        text += f"\n\n{table(('FROM', 'TO', 'RATE', 'SINCE'), rates, ('RATE',))}"
    text += "".join(f"\n\n{_not_metered(each)}" for each in found.unmetered)
    show(as_data(found), text, as_json)


@app.command("enumeration")
def enumeration(
    month: Month = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Estimate how many authorizations of a month were cards being tried out.

    Counted are requests to PreCheck and Gateway in bursts: one BIN, many cards, few amounts. Visa's
    own flag is not shown to merchants, so this is an estimate.
    """
    from gatehouse.admin.programmes.types.report import MeterFilter
    from gatehouse.admin.programmes.use_cases.enumeration import estimate_now

    wanted = read_given(MeterFilter, {"month": month})
    found = estimate_now(*open_account(account), wanted.month)
    text = (
        f"{found.month}: {found.enumerated:,} of {found.authorizations:,} authorizations in "
        f"{found.bursts:,} bursts ({found.basis_points or '-'} basis points)\n"
        f"Visa's limit: {found.limit_basis_points:,} basis points and {found.limit_enumerated:,} "
        f"({found.source})\n"
        f"{found.formula}\n"
        f"a burst: {found.burst_cards:,} or more cards with one BIN within {found.burst_minutes:,} "
        f"minutes, with {found.burst_amounts:,} amounts at most"
    )
    show(as_data(found), text, as_json)


@app.command("what-if")
def what_if(
    file: Annotated[str, argument("FILE", "The rule set as YAML; - for stdin.")],
    since: Since = "90d",
    until: Until = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Replay a rule set over recorded requests: its effect on the ratios and on sales.

    What it declines is taken away with all that became of it. Nothing is changed.
    """
    from gatehouse.admin.configurations.command import read_document
    from gatehouse.admin.programmes.use_cases.replaying import replay
    from gatehouse.cli.progress import Progress
    from gatehouse.rules.authoring import read_rule_set

    rule_set = read_rule_set(read_document(file))
    session, account_id = open_account(account)
    span = read_span(account_id, since, until, session.clock())
    with Progress("reading records", None) as progress:
        found = replay(session, rule_set, span, progress.reached_record)
    warn(found.warnings)
    amounts = ", ".join(f"{sum_} {code}" for code, sum_ in found.amounts_lost.items())
    text = (
        f"rule set {found.rule_set}, {found.records:,} requests from {found.since} to "
        f"{found.until}\nit declines {found.declined:,} more: {found.sales_lost:,} settled sales"
        f"{f' ({amounts})' if amounts else ''}, {found.disputed:,} frauds and disputes\n"
        f"it declines no more {found.accepted:,} that were declined"
    )
    if found.months:
        headings = ("MONTH", "PROGRAMME", "MERCHANT", "EVENTS", "SALES", "RATIO", "MET")
        text += f"\n\n{table(headings, [_month(each) for each in found.months])}"
    show(as_data(found), text, as_json)


def _month(each: "WhatIfMonth") -> tuple[str, ...]:
    return (
        each.month,
        f"{each.programme}, {each.level}",
        " ".join(filter(None, (each.merchant_id or "all", each.network, each.region))),
        f"{each.events:,} -> {each.events_after:,}",
        f"{each.sales:,} -> {each.sales_after:,}",
        f"{each.basis_points or '-'} -> {each.basis_points_after or '-'}",
        f"{'yes' if each.met else 'no'} -> {'yes' if each.met_after else 'no'}",
    )
