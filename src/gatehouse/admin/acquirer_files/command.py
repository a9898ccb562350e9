"""gatehouse outcomes import."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from gatehouse.admin.acquirer_files.types.mapping import LONGEST_MAPPING, SHIPPED
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    DryRun,
    ImportFileArgument,
    RecordFormatOption,
    option,
    read_file,
)
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress


def import_file(  # noqa: PLR0913, PLR0917  # each option is one property of an import
    file: ImportFileArgument,
    file_format: RecordFormatOption = None,
    mapping: Annotated[
        str,
        option(
            f"What columns mean: {', '.join(SHIPPED)}, or a TOML file of your own.",
            metavar="NAME|FILE",
        ),
    ] = "gatehouse",
    rejects: Annotated[
        Path | None, option("Write the bad rows into a CSV file.", metavar="FILE")
    ] = None,
    from_start: Annotated[
        bool, option("Do not go on with an interrupted import.", "--from-start")
    ] = False,
    dry_run: DryRun = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Import what became of payments: settlements, refunds, reported frauds, disputes.

    Rows that cannot be used are reported and left out, and the command then ends with code 1. An
    import that was interrupted goes on where it was. Importing the same file again changes nothing.
    """
    from gatehouse.admin.acquirer_files.use_cases import import_files
    from gatehouse.admin.acquirer_files.use_cases.import_jobs import chosen_mapping
    from gatehouse.core.files.records import guess_format

    form = file_format or guess_format(file)
    path = None if file == "-" else Path(file)
    own = mapping not in SHIPPED
    chosen = chosen_mapping(
        read_file(mapping, LONGEST_MAPPING).decode(errors="replace") if own else mapping
    )
    session, account_id = open_account(account)
    try:
        with (
            closing(import_files.open_outcome_file(path, form, chosen)) as source,
            Progress("importing", source.lines.size) as progress,
        ):
            job = import_files.OutcomeImport(source, chosen, rejects, dry_run, from_start)
            done = import_files.import_outcomes(session, account_id, job, progress)
    except KeyboardInterrupt:
        typer.echo("interrupted; import the file again: it goes on where it was", err=True)
        raise typer.Exit(130) from None
    if done.bad:
        left_out = "a row is" if done.bad == 1 else f"{done.bad:,} rows are"
        typer.echo(f"{left_out} left out:\n{done.report()}", err=True)
    text = ", ".join(f"{name} {number:,}" for name, number in done.counts.items())
    flaws = [{"line": line, "message": message} for line, message in done.flaws]
    data = {**done.counts, "resumed": done.resumed, "dryRun": dry_run, "flaws": flaws}
    show(data, f"would be: {text}" if dry_run else text, as_json)
    if done.error is not None:
        raise done.error
    if done.bad:
        raise typer.Exit(1)
