"""gatehouse authentication: show, set and clear the settings, meter and measure rates of fraud."""

from typing import TYPE_CHECKING, Annotated

from gatehouse.admin.derived_commands import commands_of
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, option
from gatehouse.cli.output import show, shown_amount, table

if TYPE_CHECKING:
    from gatehouse.admin.authentication.types.rates import BandStanding, RateReport

app = commands_of("gatehouse.admin.authentication.use_cases.settings")


@app.command()
def meter(
    quarters: Annotated[
        int, option("Complete quarters, besides the last 90 days.", min=2, max=12)
    ] = 4,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Meter the rates of fraud for article 18: value of frauds by value of all payments."""
    from gatehouse.admin.authentication.types.rates import RateFilter
    from gatehouse.admin.authentication.use_cases.rates import meter_fraud

    _show(meter_fraud(*open_account(account), RateFilter(quarters)), as_json=as_json)


@app.command()
def measure(account: AccountOption = None, as_json: AsJson = False) -> None:
    """Measure the rates of fraud, and have Sentry advise by them."""
    from gatehouse.admin.authentication.use_cases.rates import measure_fraud

    _show(measure_fraud(*open_account(account)), as_json=as_json)


def _show(report: "RateReport", *, as_json: bool) -> None:
    headings = ("WINDOW", "SINCE", "UNTIL", "RATE %", "PAYMENTS", "FRAUDS", "ALLOWED UP TO")
    rows = [
        (
            *(each.window, each.since, each.until, each.rate or "-"),
            shown_amount(each.settled.micros, each.settled.currency),
            shown_amount(each.fraud.micros, each.fraud.currency),
            _allowed(each.bands),
        )
        for each in report.standings
    ]
    text = table(headings, rows, {"RATE %", "PAYMENTS", "FRAUDS"})
    if report.stopped:
        bands = ", ".join(shown_amount(each.micros, each.currency) for each in report.stopped)
        text += f"\nstopped, above the rate for two quarters running: {bands}"
    if report.left_out:
        text += f"\nleft out, without an amount or a rate: {report.left_out}"
    show(report, text, as_json)


def _allowed(bands: "list[BandStanding]") -> str:
    allowed = [band.up_to for band in bands if band.allowed]
    return shown_amount(allowed[-1].micros, allowed[-1].currency) if allowed else "-"
