"""gatehouse audit: show, export, head, verify."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from gatehouse.admin.opening import open_session
from gatehouse.cli.arguments import AccountFilter, AsJson, option
from gatehouse.cli.output import columns, show
from gatehouse.core.clock import iso_time

if TYPE_CHECKING:
    from gatehouse.admin.audit.use_cases import AuditLine

app = typer.Typer(no_args_is_help=True)


@app.command("show")
def show_lines(
    account: AccountFilter = None,
    limit: Annotated[int, option("Newest lines.", min=1, max=100_000)] = 50,
    as_json: AsJson = False,
) -> None:
    """Show who did what, and when."""
    from gatehouse.admin.audit import use_cases as audit_log

    lines = audit_log.lines(open_session(), account, limit)
    data = [_data(line) for line in lines]
    rows = [{**each, "details": msgspec.json.encode(each["details"]).decode()} for each in data]
    headings = ("SEQ", "AT", "ACTOR", "ACTION", "ACCOUNT", "DETAILS")
    fields = ("seq", "at", "actor", "action", "accountId", "details")
    show(data, columns(headings, rows, fields), as_json)


@app.command("export")
def export_lines(
    account: AccountFilter = None,
    file_format: Annotated[
        Literal["csv", "jsonl"], option("How lines are written.", "--format")
    ] = "csv",
    action: Annotated[str, option("Only actions that begin with this, such as rules.")] = "",
) -> None:
    """Print the whole log, newest first, as a file; a line in it says that it was taken."""
    from gatehouse.admin.audit import use_cases as audit_log

    wanted = audit_log.LineSearch(action=action)
    found = audit_log.export_lines(open_session(), account, wanted)
    write = audit_log.csv_rows if file_format == "csv" else audit_log.json_lines
    for line in write(found):
        typer.echo(line, nl=False)


@app.command()
def head(as_json: AsJson = False) -> None:
    """Print where the trail ends now, to be kept outside of the database for `audit verify`."""
    from gatehouse.admin.audit import use_cases as audit_log

    found = audit_log.head(open_session())
    show({"seq": found.seq, "head": str(found)}, str(found), as_json)


@app.command()
def verify(
    expect: Annotated[
        list[str] | None,
        option(
            "A head from the log or from `audit head`, which the trail must contain.",
            metavar="SEQ:HASH",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove that no line was changed, removed or inserted.

    That the trail was not cut back to an older state, only a head that was kept elsewhere proves.
    """
    from gatehouse.admin.audit import use_cases as audit_log

    report = audit_log.verify(open_session(), expect or [])
    problems = "".join(f"\n  - {problem}" for problem in report.problems)
    verdict = "THE CHAIN IS BROKEN" + problems if problems else "the chain is whole"
    if expect and not problems:
        verdict += ", and contains what was expected"
    show(report, f"{report.lines} lines: {verdict}", as_json)
    if report.problems:
        raise typer.Exit(1)


def _data(line: "AuditLine") -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(line)
    del data["atMs"]
    return {"at": iso_time(line.at_ms), **data}
