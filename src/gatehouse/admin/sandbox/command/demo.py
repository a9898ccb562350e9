"""gatehouse demo: fill."""

from typing import Annotated

import msgspec
import typer

from gatehouse.admin.opening import open_session, read_settings
from gatehouse.cli.arguments import AsJson, option
from gatehouse.cli.beside import stay_beside_server
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress

app = typer.Typer(no_args_is_help=True)


@app.command()
def fill(
    decisions: Annotated[int, option("How many requests, 100 to 1200.")] = 1200,
    as_json: AsJson = False,
) -> None:
    """Give the demo account a made-up past of 30 days, so that there is something to look at.

    Customers who do not exist send their orders through the real engine of this sandbox, at moments
    of the past; reviews, labels, lists and the ledger follow from them. The balance stays as it is.
    Only an account without decisions is filled; it is done once, and goes on where it was ended.
    """
    from gatehouse.admin.sandbox.use_cases.fill import fill_demo

    settings = read_settings()
    with Progress("filling", None) as progress:
        done = fill_demo(open_session(), settings, decisions, progress.reached_record)
    if done is None:
        show({"filled": False}, "the demo account has its past already", as_json)
        return
    text = (
        f"{done.decisions:,} decisions of the last 30 days: {done.accepted:,} accepted, "
        f"{done.reviewed:,} for review, {done.declined:,} declined; {done.labels:,} labels.\n"
        "Look at them with: gatehouse decisions list, gatehouse reviews list"
    )
    show({"filled": True, **msgspec.to_builtins(done)}, text, as_json)


@app.command("fill-beside", hidden=True)
def fill_beside(
    server: Annotated[str, typer.Argument(help="The server that asks for it.")],
) -> None:
    """Fill the demo account as far as a server has begun it; servers call this."""
    from gatehouse.admin.sandbox.use_cases.fill import fill_demo

    stay_beside_server()
    fill_demo(open_session(), read_settings(), server=server)
