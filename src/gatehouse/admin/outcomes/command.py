"""gatehouse outcomes: import, list."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Final

import typer

from gatehouse.admin.derived_commands import commands_of
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    ImportFileArgument,
    RecordFormatOption,
    read_file,
)
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress

_LONGEST_MAPPING: Final = 64 * 1024

app = commands_of("gatehouse.admin.outcomes.use_cases.listing")


@app.command("import")
def import_file(
    file: ImportFileArgument,
    file_format: RecordFormatOption = None,
    mapping: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="What columns mean: gatehouse, tabapay-fraud, or a TOML file of your own.",
        ),
    ] = "gatehouse",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Import what became of payments: settlements, refunds, reported frauds, disputes.

    Rows that cannot be used are reported and left out, and the command then ends with code 1.
    Importing the same file again changes nothing.
    """
    from gatehouse.admin.outcomes.types.mapping import SHIPPED, read_mapping, shipped_mapping
    from gatehouse.admin.outcomes.use_cases.import_files import import_outcomes, open_outcome_file
    from gatehouse.core.files.records import guess_format

    form = file_format or guess_format(file)
    path = None if file == "-" else Path(file)
    chosen = (
        shipped_mapping(mapping)
        if mapping in SHIPPED
        else read_mapping(read_file(mapping, _LONGEST_MAPPING).decode(errors="replace"), mapping)
    )
    session, account_id = open_account(account)
    with (
        closing(open_outcome_file(path, form, chosen)) as source,
        Progress("importing", source.lines.size) as progress,
    ):
        done = import_outcomes(session, account_id, source, chosen, progress)
    if done.bad:
        left_out = "a row is" if done.bad == 1 else f"{done.bad:,} rows are"
        typer.echo(f"{left_out} left out:\n{done.report()}", err=True)
    names = ("new", "changed", "unchanged", "joined", "labelled")
    numbers = {"read": done.read, **{name: done.counts[name] for name in names}, "bad": done.bad}
    text = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    flaws = [{"line": line, "message": message} for line, message in done.flaws]
    show({**numbers, "flaws": flaws}, text, as_json=as_json)
    if done.error is not None:
        raise done.error
    if done.bad:
        raise typer.Exit(1)
