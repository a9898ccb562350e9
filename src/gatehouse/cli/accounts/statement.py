"""gatehouse statement: an account's month."""

from typing import Annotated

import typer

from gatehouse.admin import money
from gatehouse.billing.statement import MonthStatement
from gatehouse.cli.arguments import AccountId, AsJson
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import exact, show, table
from gatehouse.core.money import format_amount


def statement(
    account: AccountId,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="Month in UTC. Default: this one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print an account's statement of a month."""
    found = money.statement(open_session(), account, month)
    owner, made = found.account, found.sums
    data = {
        "accountId": account,
        "month": found.month,
        "currency": owner.currency,
        "opening": exact(made.opening),
        "topUps": exact(made.top_ups),
        "adjustments": exact(made.adjustments),
        "fees": {
            fee_type: {"count": line.count, "total": exact(line.total)}
            for fee_type, line in sorted(made.fees.items())
        },
        "charged": exact(made.charged),
        "closing": exact(made.closing),
        "unchargedRequests": made.uncharged_requests,
    }
    title = f"{owner.name} ({account}), {found.month}, {owner.currency}"
    show(data, f"{title}\n{_rows(made)}", as_json=as_json)


def _rows(made: MonthStatement) -> str:
    rows: list[tuple[str, str, str]] = [
        ("opening balance", "", format_amount(made.opening)),
        ("top-ups", "", format_amount(made.top_ups)),
        ("adjustments", "", format_amount(made.adjustments)),
        *(
            (fee_type, f"{line.count} x", format_amount(-line.total))
            for fee_type, line in sorted(made.fees.items())
        ),
        ("requests not charged", f"{made.uncharged_requests} x", "0"),
        ("closing balance", "", format_amount(made.closing)),
    ]
    return table(("", "COUNT", "AMOUNT"), rows)
