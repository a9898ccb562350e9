"""What the commands about money share: account, period, and how they print."""

from enum import StrEnum
from typing import Annotated

import typer

from gatehouse.billing.statement import Period, PeriodRefused, read_period
from gatehouse.core.errors import InvalidInput

From = Annotated[
    str | None,
    typer.Option("--from", metavar="YYYY-MM-DD", help="From the beginning of this day, in UTC."),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="YYYY-MM-DD",
        help="Before the beginning of this day, in UTC. Default: through today.",
    ),
]


class SheetFormat(StrEnum):
    """How a command prints."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[
    SheetFormat, typer.Option("--format", help="For people, spreadsheets or scripts.")
]
AccountPlace = Annotated[
    str | None, typer.Argument(metavar="[ACCOUNT]", help="The same as --account.")
]


def chosen_account(context: typer.Context, given: str | None, option: str | None) -> str | None:
    """The account that is named by its place or by --account."""
    if given is not None and given != option and is_named(context, "account"):
        raise InvalidInput(f"two accounts are named: {given} and --account {option}")
    return given or option


def is_named(context: typer.Context, option: str) -> bool:
    """Whether an option is on the command line itself, and not a default of the environment."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def period_argument(month: str | None, first: str | None, end: str | None, now_ms: int) -> Period:
    """The period that the options name."""
    try:
        return read_period(month, first, end, now_ms)
    except PeriodRefused as refused:
        raise InvalidInput(f"--{refused.part} {refused}") from None
