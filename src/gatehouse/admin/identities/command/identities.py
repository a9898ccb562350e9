"""gatehouse identities: import, show, count, export, delete, compact, reencrypt."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from gatehouse.admin.identities.command.identity_options import (
    Card,
    Compact,
    EveryAccount,
    OfAccount,
    PersonId,
    Reference,
    read_query,
    read_scope,
)
from gatehouse.admin.identities.command.identity_output import (
    new_file,
    record_text,
    report_unreadable,
    selection_text,
)
from gatehouse.admin.identities.use_cases import records
from gatehouse.admin.identities.use_cases.masking import clear_record, described_record
from gatehouse.admin.identities.use_cases.records import StoredHolder, UnreadableHolder
from gatehouse.admin.identities.use_cases.selection import (
    record_count,
    scope_name,
    select_records,
)
from gatehouse.admin.opening import open_session
from gatehouse.cli.arguments import (
    AsJson,
    DryRun,
    ImportFileArgument,
    RecordFormatOption,
    argument,
    option,
)
from gatehouse.cli.output import show, table
from gatehouse.cli.progress import Progress
from gatehouse.core.errors import InvalidInput, WrongUsage

_LEFT_BEHIND = (
    "sealed copies of erased or re-encrypted records may remain in unused space of the database "
    "until you run: gatehouse identities compact"
)

app = typer.Typer(no_args_is_help=True)


@app.command("import")
def import_records(
    file: ImportFileArgument,
    account: OfAccount = None,
    file_format: RecordFormatOption = None,
    errors: Annotated[
        Path | None, option("CSV file to write the refused lines to, without values.")
    ] = None,
    dry_run: DryRun = False,
    from_start: Annotated[
        bool, option("Begin anew, even if this file was interrupted before.", "--from-start")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import records from CSV or JSON Lines; a record that is there already is brought up to date.

    Lines that cannot be used are reported and skipped, and the command then ends with code 1. It
    can be repeated at will; after an interruption it goes on where it was.
    """
    from gatehouse.admin.identities.use_cases.import_records import (
        IdentityImport,
        import_identities,
    )
    from gatehouse.admin.identities.use_cases.rows import open_identity_file
    from gatehouse.core.files.records import guess_format

    scope = read_scope(account)
    path = None if file == "-" else Path(file)
    form = file_format or guess_format(file)
    if path is not None and errors is not None and errors.resolve() == path.resolve():
        raise InvalidInput("--errors must not be the file itself")
    session = open_session()
    if account is None:
        typer.echo("no --account: the records are for all accounts", err=True)
    try:
        with (
            closing(open_identity_file(path, form)) as source,
            Progress("importing", source.lines.size) as progress,
        ):
            job = IdentityImport(scope, source, errors, dry_run, from_start)
            done = import_identities(session, job, progress)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; {_after_interruption(path, dry_run)}", err=True)
        raise typer.Exit(130) from None
    run = done.run
    data = {
        "importId": run.import_id or None,
        "scope": run.scope,
        "lines": run.at.line,
        **msgspec.structs.asdict(run.tally),
        "before": run.before,
    }
    text = f"would be: {_counts(run.tally)}" if dry_run else _counts(run.tally)
    if run.before is not None:
        text += f"\nof these before the interruption: {_counts(run.before)}"
    show(data, text, as_json)
    if done.error is not None:
        raise done.error
    if run.tally.refused:
        raise typer.Exit(1)


@app.command("show")
def show_records(
    card: Card = None,
    person_id: PersonId = None,
    reference: Reference = None,
    account: OfAccount = None,
    every_account: EveryAccount = False,
    reveal: Annotated[
        bool, option("Show the values themselves; the audit log keeps that.", "--reveal")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show records of a card or a person, with their values masked."""
    session = open_session()
    scope, query = read_query(card, person_id, reference, account, every_account)
    selected = select_records(session, scope, query)
    found = records.show_records(session, selected, reveal=reveal)
    data = [described_record(stored, reveal=reveal) for stored in found]
    show(data, "\n\n".join(record_text(one) for one in data), as_json)


@app.command()
def count(as_json: AsJson = False) -> None:
    """Count the records by scope, by version of the key that seals them, and by identifier."""
    found, due = records.count_records(open_session())
    rows = [
        (
            scope_name(one.scope),
            one.people,
            one.outdated,
            ", ".join(f"v{version}: {people}" for version, people in one.key_versions.items()),
            ", ".join(f"{kind}: {people}" for kind, people in one.types.items()) or "-",
        )
        for one in found
    ]
    headings = ("SCOPE", "PEOPLE", "OUTDATED", "SEALED WITH", "IDENTIFIERS")
    show(found, table(headings, rows), as_json)
    if due:
        typer.echo(f"compaction is due: {_LEFT_BEHIND}", err=True)


@app.command()
def export(
    file: Annotated[str, argument("FILE", "File to make; - is standard output.")],
    account: OfAccount = None,
    as_json: AsJson = False,
) -> None:
    """Write the records in clear as JSON Lines, which import reads again; keep the file safe.

    Card numbers are not held: each line has the card's fingerprint instead. Records that cannot be
    opened are left out and listed, and the command then ends with code 1. When the records go to
    standard output, --json changes nothing but the form of errors.
    """
    scope = read_scope(account)
    session = open_session()
    unreadable: list[UnreadableHolder] = []
    number = 0
    with new_file(file) as out:
        for one in records.export_records(session, scope):
            if isinstance(one, StoredHolder):
                out.write(msgspec.json.encode(clear_record(one)) + b"\n")
                number += 1
            else:
                unreadable.append(one)
    if file != "-":
        data = {"file": file, "records": number, "unreadable": len(unreadable)}
        show(data, f"{file}: {record_count(number)} in clear", as_json)
    report_unreadable(unreadable)


@app.command()
def delete(  # noqa: PLR0913, PLR0917  # each option is one way to say which
    card: Card = None,
    person_id: PersonId = None,
    reference: Reference = None,
    account: OfAccount = None,
    every_account: EveryAccount = False,
    account_all: Annotated[
        bool, option("All records of the account named by --account.", "--account-all")
    ] = False,
    operator_all: Annotated[
        bool, option("All records that are for all accounts.", "--operator-all")
    ] = False,
    everything: Annotated[
        bool, option("All records of each account and for all accounts.", "--all")
    ] = False,
    outdated: Annotated[
        bool,
        option("Those under card fingerprints of an earlier key, of any account.", "--outdated"),
    ] = False,
    reason: Annotated[str, option("Why; kept in the audit log.")] = "",
    yes: Annotated[bool, option("Do it without asking.", "--yes")] = False,
    compact_now: Compact = None,
    as_json: AsJson = False,
) -> None:
    """Erase records, so that nothing of them remains in the database."""
    scope = read_scope(account)
    narrow = [card, person_id, reference].count(None) < 3
    wide = [account_all, operator_all, everything, outdated]
    fits = account_all if account is not None else not account_all
    if wide.count(True) + narrow != 1 or not (narrow or (fits and not every_account)):
        raise WrongUsage(
            "say which: --card, --id or --reference, with --account, --every-account or neither; "
            "or --account with --account-all; or --operator-all, --all or --outdated"
        )
    session = open_session()
    chosen = None if everything or outdated else scope
    query = None
    if narrow:
        chosen, query = read_query(card, person_id, reference, account, every_account)
    selected = select_records(session, chosen, query, outdated=outdated)
    if not yes:
        typer.confirm(f"Erase {selection_text(selected)}?", abort=True, err=True)
    done = records.erase_records(session, selected, reason, compact_now)
    text = f"{record_count(done.erased)} erased" + ("" if done.compacted else f"; {_LEFT_BEHIND}")
    show(done, text, as_json)


@app.command()
def compact(as_json: AsJson = False) -> None:
    """Clear the unused space of the database, where copies of deleted records can survive.

    SQLite writes its file anew; requests wait meanwhile, and fail if it takes long, so do it at a
    quiet time. PostgreSQL cleans up beside them.
    """
    records.compact_records(open_session())
    show({"compacted": True}, "the unused space is cleared", as_json)


@app.command()
def reencrypt(
    keep_old_keys: Annotated[
        bool, option("Leave the older identity keys on the ring.", "--keep-old-keys")
    ] = False,
    compact_now: Compact = None,
    as_json: AsJson = False,
) -> None:
    """Seal all records with the newest identity key, then remove the older keys.

    Run it after: gatehouse secrets renew-identities. Servers go on meanwhile, and after an
    interruption it can simply be run again. Records that cannot be opened are left out and listed;
    the older keys then stay, and the command ends with code 1.
    """
    with Progress("re-encrypting", None) as progress:
        done = records.reencrypt_records(
            open_session(),
            keep_old_keys=keep_old_keys,
            compact=compact_now,
            progress=progress.reached_record,
        )
    text = (
        f"{record_count(done.resealed)} sealed with version {done.version}; "
        f"older keys removed: {done.keys_removed}"
    )
    if done.compacted is False:
        text += f"\n{_LEFT_BEHIND}"
    show(done, text, as_json)
    report_unreadable(done.unreadable)


def _counts(counts: msgspec.Struct) -> str:
    return ", ".join(f"{number} {word}" for word, number in msgspec.structs.asdict(counts).items())


def _after_interruption(path: Path | None, dry_run: bool) -> str:
    if dry_run:
        return "nothing was changed"
    if path is None or not path.is_file():
        return "what came before is kept"
    return "the same command goes on from here"
