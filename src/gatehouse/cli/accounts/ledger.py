"""gatehouse ledger: verify, show."""

from typing import Annotated

import typer

from gatehouse.admin import money
from gatehouse.cli.arguments import AccountId, AsJson
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import columns, exact, show
from gatehouse.core.clock import iso_time

app = typer.Typer(help="The ledger: every movement of money.", no_args_is_help=True)


@app.command()
def verify(as_json: AsJson = False) -> None:
    """Prove that balances are the sums of their entries and that nothing closed wrongly."""
    report = money.verify_ledger(open_session())
    lines = [
        f"accounts  {report.accounts}: each balance and each hold is the sum of its entries",
        f"entries   {report.entries}",
        f"requests  {report.requests}: {report.closed} closed, {report.open} open; none closed "
        "more than it authorized, none ended twice, items add up",
    ]
    verdict = "the ledger is right" if not report.problems else "THE LEDGER IS WRONG"
    problems = [f"  - {problem}" for problem in report.problems]
    show(
        report,
        "\n".join([*(lines if not problems else lines[1:2]), *problems, verdict]),
        as_json=as_json,
    )
    if report.problems:
        raise typer.Exit(1)


@app.command("show")
def show_entries(
    account: AccountId,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Newest entries.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show the newest entries of an account."""
    entries = money.entries(open_session(), account, limit)
    data = [
        {
            "at": iso_time(e.at_ms),
            "reference": e.reference,
            "kind": e.kind.value,
            "amount": exact(e.amount),
            "held": exact(e.held),
            "detail": e.detail,
        }
        for e in entries
    ]
    headings = ("AT", "REFERENCE", "KIND", "AMOUNT", "HELD", "DETAIL")
    show(data, columns(headings, data, [name.lower() for name in headings], ""), as_json=as_json)
