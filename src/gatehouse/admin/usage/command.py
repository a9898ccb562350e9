"""gatehouse usage: which keys, pipelines and tags an account's requests and charges belong to."""

from typing import TYPE_CHECKING, Annotated

import typer

from gatehouse.admin.money.command.money_options import (
    FormatOption,
    From,
    SheetFormat,
    To,
    chosen_format,
    period_argument,
)
from gatehouse.admin.opening import open_account
from gatehouse.admin.usage.types import UsagePer, UsageQuery, UsageResponse
from gatehouse.billing.statement import UsageBy
from gatehouse.cli.arguments import AccountAlias, AccountOption, AsJson, option
from gatehouse.cli.output import show, shown_amounts, table
from gatehouse.core.files.csv_output import csv_lines

if TYPE_CHECKING:
    from collections.abc import Sequence


def usage(  # noqa: PLR0913, PLR0917  # each option is one property of what is counted
    alias: AccountAlias = None,
    account: AccountOption = None,
    by: Annotated[UsageBy, option("What requests are told apart by.")] = UsageBy.KEY,
    per: Annotated[UsagePer, option("Spans, in UTC.")] = UsagePer.MONTH,
    month: Annotated[
        str | None, option("Month in UTC. Default: this one.", metavar="YYYY-MM")
    ] = None,
    first: From = None,
    end: To = None,
    form: FormatOption = SheetFormat.TABLE,
    as_json: AsJson = False,
) -> None:
    """Count the requests of a month, or of up to 92 days, and what they were charged.

    By key, pipeline or the custom input tag, the sums are those of the statement.
    """
    from gatehouse.admin.usage.use_cases import CSV_HEADINGS, get_usage, usage_rows

    form = chosen_format(form, as_json=as_json)
    session, account_id = open_account(account)
    period_argument(month, first, end, session.clock())
    wanted = UsageQuery(month=month, first=first, end=end, by=by, per=per)
    found = get_usage(session, account_id, wanted)
    if form is SheetFormat.CSV:
        typer.echo(csv_lines([CSV_HEADINGS, *usage_rows(account_id, wanted, found)]), nl=False)
        return
    show(found, _table(by, found), form is SheetFormat.JSON)


def _table(by: UsageBy, found: UsageResponse) -> str:
    rows: Sequence[tuple[str, str, str, int, int]] = [
        *(
            (f"{one.day}", one.operation, "", one.requests, one.charged.micros)
            for one in found.usage
        ),
        *(
            (
                *(f"{one.day}", "(others)" if one.is_rest else one.group or "-", one.name or ""),
                *(one.requests, one.charged.micros),
            )
            for one in found.groups
        ),
    ]
    charged = [*(one.charged for one in found.usage), *(one.charged for one in found.groups)]
    currency = charged[0].currency if charged else ""
    amounts = shown_amounts([row[-1] for row in rows], currency)
    cells = [(*row[:3], f"{row[3]:,}", amount) for row, amount in zip(rows, amounts, strict=True)]
    return table(
        ("FROM", by.upper(), "NAME", "REQUESTS", "CHARGED"), cells, {"REQUESTS", "CHARGED"}
    )
