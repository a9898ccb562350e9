"""What the commands about money share: the period, and how they print."""

from enum import StrEnum
from typing import Annotated

from gatehouse.billing.statement import Period, PeriodClash, PeriodRefused, read_period
from gatehouse.cli.arguments import option
from gatehouse.core.errors import InvalidInput, WrongUsage

From = Annotated[
    str | None, option("From the beginning of this day, in UTC.", "--from", metavar="YYYY-MM-DD")
]
To = Annotated[
    str | None,
    option(
        "Before the beginning of this day, in UTC. Default: through today.",
        "--to",
        metavar="YYYY-MM-DD",
    ),
]


class SheetFormat(StrEnum):
    """How a command prints."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[SheetFormat, option("For people, spreadsheets or scripts.", "--format")]


def chosen_format(form: SheetFormat, *, as_json: bool) -> SheetFormat:
    """The form that `--format` and `--json` name together."""
    if as_json and form is SheetFormat.CSV:
        raise WrongUsage("--json and --format csv exclude each other")
    return SheetFormat.JSON if as_json else form


def period_argument(month: str | None, first: str | None, end: str | None, now_ms: int) -> Period:
    """The period that the options name."""
    try:
        return read_period(month, first, end, now_ms)
    except PeriodClash as clash:
        raise WrongUsage(f"--{clash.part} {clash}") from None
    except PeriodRefused as refused:
        raise InvalidInput(f"--{refused.part} {refused}") from None
