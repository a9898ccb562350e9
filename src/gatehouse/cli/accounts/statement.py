"""gatehouse statement: an account's month."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from gatehouse.billing.statement import MonthStatement, month_bounds
from gatehouse.cli.common import AccountId, AsJson, exact, open_session, show, table
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import format_amount
from gatehouse.store.accounts import accounts, ledger


def statement(
    account: AccountId,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="Month in UTC. Default: this one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print an account's statement of a month."""
    place = open_session()
    chosen = month or f"{datetime.fromtimestamp(place.clock() / 1000, UTC):%Y-%m}"
    try:
        bounds = month_bounds(chosen)
    except ValueError as error:
        raise InvalidInput(str(error)) from None
    with place.reading() as connection:
        found = accounts.get(connection, account)
        made = ledger.statement(connection, account, bounds)
    data = {
        "accountId": account,
        "month": chosen,
        "currency": found.currency,
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
    title = f"{found.name} ({account}), {chosen}, {found.currency}"
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
