"""gatehouse identities: import, show, count, export, delete, compact, reencrypt."""

import secrets
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from gatehouse.cli.arguments import AsJson
from gatehouse.cli.identities.identity_choice import (
    Target,
    Which,
    all_of,
    chosen,
    in_words,
    name_of,
    scope_of,
)
from gatehouse.cli.identities.identity_views import (
    described,
    line_of,
    lines_of,
    new_file,
    records,
    tell_unreadable,
)
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import show, table
from gatehouse.core.errors import InvalidInput, StoreUnavailable
from gatehouse.core.keyring import CARD_FINGERPRINTS
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.identities import erasure, identities, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_sealer import (
    IdentitySealer,
    StoredHolder,
    UnreadableHolder,
)
from gatehouse.store.identities.imports import ImportCounts

_RESEALED_AT_ONCE = 300
_LEFT_BEHIND = (
    "sealed copies of erased or re-encrypted records may remain in unused space of the database "
    "until you run: gatehouse identities compact"
)

app = typer.Typer(
    help="Authoritative records of who holds which card; ID Verify compares with them.",
    no_args_is_help=True,
)

OfAccount = Annotated[
    str | None,
    typer.Option(
        "--account", help="Account whose own records are meant. Default: those for all accounts."
    ),
]
Card = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Number of a card; - reads it from standard input or asks, which keeps it out of "
        "the shell's history.",
    ),
]
PersonId = Annotated[str | None, typer.Option("--id", metavar="ID", help="Id (idn_...).")]
Reference = Annotated[str | None, typer.Option(help="Reference given at the import.")]
EveryAccount = Annotated[
    bool,
    typer.Option(
        "--every-account", help="Wherever it is on record: for any account and for all accounts."
    ),
]
Compact = Annotated[
    bool | None,
    typer.Option(
        "--compact/--no-compact",
        help="Clear unused space now; --no-compact leaves that to: gatehouse identities compact. "
        "Default: now, unless it is a SQLite file of 64 MiB or more.",
        show_default=False,
    ),
]


@app.command("import")
def import_records(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="File or pipe; - is standard input. May be gzipped."),
    ],
    account: OfAccount = None,
    file_format: Annotated[
        Literal["csv", "jsonl"] | None,
        typer.Option("--format", help="csv or jsonl. Default: by the file's name."),
    ] = None,
    errors: Annotated[
        Path | None, typer.Option(help="CSV file to write the refused lines to, without values.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    from_start: Annotated[
        bool,
        typer.Option("--from-start", help="Begin anew, even if this file was interrupted before."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import records from CSV or JSON Lines; a record that is there already is brought up to date.

    Lines that cannot be used are reported and skipped, and the command then ends with code 1. It
    can be repeated at will; after an interruption it goes on where it was.
    """
    from gatehouse.cli.identities.identity_import import IdentityImport, import_file
    from gatehouse.cli.record_files import guess_format
    from gatehouse.intel.bins import load_bins
    from gatehouse.intel.cards import CardMasker

    scope = scope_of(account)
    path = None if file == "-" else Path(file)
    form = file_format or guess_format(file)
    if path is not None and errors is not None and errors.resolve() == path.resolve():
        raise InvalidInput("--errors must not be the file itself")
    place = open_session()
    if account is None:
        typer.echo("no --account: the records are for all accounts", err=True)
    job = IdentityImport(scope, path, form, errors, dry_run, from_start)
    keeper = CardMasker(load_bins(), place.ring.current(CARD_FINGERPRINTS))
    try:
        ended = import_file(job, place, keeper.fingerprint)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; {_after_interruption(path, dry_run)}", err=True)
        raise typer.Exit(130) from None
    run = ended.run
    before = None if run.before is None else msgspec.structs.asdict(run.before)
    data = {
        "importId": run.import_id or None,
        "scope": run.scope,
        "lines": run.at.line,
        **msgspec.structs.asdict(run.tally),
        "before": before,
    }
    text = f"would be: {_tally(run.tally)}" if dry_run else _tally(run.tally)
    if run.before is not None:
        text += f"\nof these before the interruption: {_tally(run.before)}"
    show(data, text, as_json=as_json)
    if ended.error is not None:
        raise ended.error
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
        bool, typer.Option("--reveal", help="Show the values themselves; the audit log keeps that.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show records of a card or a person, with their values masked."""
    place = open_session()
    safe = IdentitySealer(place.ring)
    which = Which(card, person_id, reference)
    targets = chosen(place, safe, account, which, everywhere=every_account)
    with place.reading() as connection:
        found = [
            kept
            for one in targets
            for kept in identities.find(one.scope, one.selector, connection, safe)
        ]
    if reveal:
        with place.change() as change:
            for scope in sorted({kept.scope for kept in found}):
                ids = [kept.person_id for kept in found if kept.scope == scope]
                whose = imports.account_of(scope)
                change.audit("identities.reveal", whose, scope=scope, ids=ids)
    data = [described(kept, reveal=reveal) for kept in found]
    show(data, "\n\n".join(lines_of(one) for one in data), as_json=as_json)


@app.command()
def count(as_json: AsJson = False) -> None:
    """Count the records by scope, by version of the key that seals them, and by identifier."""
    place = open_session()
    with place.reading() as connection:
        found = identities.census(connection, IdentitySealer(place.ring))
        due = erasure.is_due(connection)
    rows = [
        (
            name_of(one.scope),
            one.people,
            one.outdated,
            ", ".join(f"v{version}: {people}" for version, people in one.key_versions.items()),
            ", ".join(f"{kind}: {people}" for kind, people in one.types.items()) or "-",
        )
        for one in found
    ]
    headings = ("SCOPE", "PEOPLE", "OUTDATED", "SEALED WITH", "IDENTIFIERS")
    show(found, table(headings, rows), as_json=as_json)
    if due:
        typer.echo(f"compaction is due: {_LEFT_BEHIND}", err=True)


@app.command()
def export(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File to make; - is standard output.")
    ],
    account: OfAccount = None,
) -> None:
    """Write the records in clear as JSON Lines, which import reads again; keep the file safe.

    Card numbers are not held: each line has the card's fingerprint instead. Records that cannot be
    opened are left out and listed, and the command then ends with code 1.
    """
    scope = scope_of(account)
    place = open_session()
    safe = IdentitySealer(place.ring)
    unreadable = []
    number = 0
    with new_file(file) as out:
        with place.change() as change:
            imports.check_scope(scope, change.connection)
            there = identities.how_many(scope, Selector(), change.connection)
            change.audit("identities.export", account, scope=scope, count=there)
        with place.reading() as connection:
            for one in identities.everyone(scope, connection, safe):
                if isinstance(one, StoredHolder):
                    out.write(msgspec.json.encode(line_of(one)) + b"\n")
                    number += 1
                else:
                    unreadable.append(one)
    if file != "-":
        typer.echo(f"{file}: {records(number)} in clear", err=True)
    if unreadable:
        tell_unreadable(unreadable)
        raise typer.Exit(1)


@app.command()
def delete(  # noqa: PLR0913, PLR0917  # each option is one way to say which
    card: Card = None,
    person_id: PersonId = None,
    reference: Reference = None,
    account: OfAccount = None,
    every_account: EveryAccount = False,
    account_all: Annotated[
        bool, typer.Option("--account-all", help="All records of the account named by --account.")
    ] = False,
    operator_all: Annotated[
        bool, typer.Option("--operator-all", help="All records that are for all accounts.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="All records of each account and for all accounts.")
    ] = False,
    outdated: Annotated[
        bool,
        typer.Option(
            "--outdated", help="Those under card fingerprints of an earlier key, of any account."
        ),
    ] = False,
    reason: Annotated[str, typer.Option(help="Why; kept in the audit log.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    compact_now: Compact = None,
    as_json: AsJson = False,
) -> None:
    """Erase records, so that nothing of them remains in the database."""
    scope = scope_of(account)
    which = Which(card, person_id, reference)
    narrow = which.count(None) < 3
    wide = [account_all, operator_all, everything, outdated]
    fits = account_all if account is not None else not account_all
    if wide.count(True) + narrow != 1 or not (narrow or (fits and not every_account)):
        raise InvalidInput(
            "say which: --card, --id or --reference, with --account, --every-account or neither; "
            "or --account with --account-all; or --operator-all, --all or --outdated"
        )
    place = open_session()
    safe = IdentitySealer(place.ring)
    if narrow:
        targets = chosen(place, safe, account, which, everywhere=every_account)
    else:
        selector = Selector(not_card_prefix=safe.card_prefix) if outdated else Selector()
        targets = all_of(place, selector, None if everything or outdated else scope)
    if not yes:
        typer.confirm(f"Erase {in_words(targets)}?", abort=True, err=True)
    erased = _erase(place, safe, targets, reason)
    compacted = _tidy(place, safe, compact_now, f"{records(erased)} deleted, but ")
    text = f"{records(erased)} erased" + ("" if compacted else f"; {_LEFT_BEHIND}")
    show({"erased": erased, "compacted": compacted}, text, as_json=as_json)


@app.command()
def compact() -> None:
    """Clear the unused space of the database, where copies of deleted records can survive.

    SQLite writes its file anew; requests wait meanwhile, and fail if it takes long, so do it at a
    quiet time. PostgreSQL cleans up beside them.
    """
    place = open_session()
    _tidy(place, IdentitySealer(place.ring), True, "")
    with place.change() as change:
        change.audit("identities.compact")
    typer.echo("the unused space is cleared")


@app.command()
def reencrypt(
    keep_old_keys: Annotated[
        bool, typer.Option("--keep-old-keys", help="Leave the older identity keys on the ring.")
    ] = False,
    compact_now: Compact = None,
    as_json: AsJson = False,
) -> None:
    """Seal all records with the newest identity key, then remove the older keys.

    Run it after: gatehouse secrets renew-identities. Servers go on meanwhile, and after an
    interruption it can simply be run again. Records that cannot be opened are left out and listed;
    the older keys then stay, and the command ends with code 1.
    """
    place = open_session()
    safe = IdentitySealer(place.ring)
    with place.reading() as connection:
        census = identities.census(connection, safe)
    older = any(version < safe.version for one in census for version in one.key_versions)
    with place.change() as change:
        if older:
            erasure.mark_due(change)
        change.audit("identities.reencrypt-begin", version=safe.version)
    resealed, unreadable = _reseal_all(place, safe, sum(one.people for one in census))
    with place.change() as change:
        keep = keep_old_keys or bool(unreadable)
        dropped = 0 if keep else identities.drop_old_keys(change.connection, safe)
        if dropped:
            erasure.mark_due(change)
        change.audit(
            "identities.reencrypt-end",
            version=safe.version,
            records=resealed,
            keysRemoved=dropped,
            unreadable=len(unreadable),
        )
    compacted = None
    if resealed or dropped:
        compacted = _tidy(place, safe, compact_now, "all records are sealed anew, but ")
    data = {"version": safe.version, "resealed": resealed, "keysRemoved": dropped,
            "compacted": compacted, "unreadable": unreadable}  # fmt: skip
    text = f"{records(resealed)} sealed with version {safe.version}; older keys removed: {dropped}"
    if compacted is False:
        text += f"\n{_LEFT_BEHIND}"
    show(data, text, as_json=as_json)
    if unreadable:
        tell_unreadable(unreadable)
        raise typer.Exit(1)


def _reseal_all(
    place: AdminSession, safe: IdentitySealer, total: int
) -> tuple[int, list[UnreadableHolder]]:
    from gatehouse.cli.progress import Progress

    after, seen, resealed = None, 0, 0
    unreadable: list[UnreadableHolder] = []
    pace = Pace(place.database)
    with Progress("re-encrypting", total) as progress:
        while True:
            with pace.turn(), imports.batch_of(place) as connection:
                identities.check_keys(connection, safe)
                part = identities.reseal(
                    after, connection, safe, secrets.token_bytes, _RESEALED_AT_ONCE
                )
            seen, resealed = seen + part.seen, resealed + part.done
            unreadable += part.unreadable
            progress.reached(seen, f"{seen} of {total} records")
            after = part.until
            if after is None:
                return resealed, unreadable


def _erase(place: AdminSession, safe: IdentitySealer, targets: list[Target], reason: str) -> int:
    pace = Pace(place.database)
    return sum(erasure.erase(one.scope, one.selector, reason, place, safe, pace) for one in targets)


def _tidy(place: AdminSession, safe: IdentitySealer, wanted: bool | None, so_far: str) -> bool:
    try:
        return erasure.tidy(place, safe, wanted)
    except StoreUnavailable as error:
        raise StoreUnavailable(
            f"{so_far}unused space is not cleared: {error}; run: gatehouse identities compact"
        ) from None


def _tally(tally: ImportCounts) -> str:
    return ", ".join(f"{number} {word}" for word, number in msgspec.structs.asdict(tally).items())


def _after_interruption(path: Path | None, dry_run: bool) -> str:
    if dry_run:
        return "nothing was changed"
    if path is None or not path.is_file():
        return "what came before is kept"
    return "the same command goes on from here"
