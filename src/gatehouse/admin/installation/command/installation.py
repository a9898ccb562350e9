"""gatehouse backup, restore, copy, doctor and migrate: commands about the whole installation."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatehouse.admin.opening import operator, read_settings
from gatehouse.cli.arguments import AsJson, argument, option
from gatehouse.cli.hints import hinted
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress
from gatehouse.core.errors import InvalidInput
from gatehouse.settings.preflight import unknown_variables
from gatehouse.settings.settings import env_file

if TYPE_CHECKING:
    from gatehouse.admin.backup.use_cases.data_proof import DataProof


def backup(
    file: Annotated[Path, argument("FILE", "Where to write the copy.")],
    as_json: AsJson = False,
) -> None:
    """Write a consistent, checked copy of the database; the service may go on running.

    The database is copied as it is, also before a migration. Keys in it are wrapped by the root
    secret: keep that secret too, and somewhere else.
    """
    from gatehouse.admin.backup.use_cases.backup import write_backup

    settings = read_settings()
    size = write_backup(settings, operator(settings), file)
    show({"file": str(file), "bytes": size}, f"{file}: {size} bytes", as_json)


def restore(
    file: Annotated[Path | None, argument("FILE", "What gatehouse backup wrote.")] = None,
    replace: Annotated[bool, option("Put data that is there aside first.", "--replace")] = False,
    loaded: Annotated[
        bool,
        option(
            "Instead of FILE: the database holds what PostgreSQL's own programs brought "
            "back, or a backup of an earlier version that was migrated; prove it and do the rest.",
            "--loaded",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of the database; all servers must be stopped.

    The backup is checked first: the root secret, the ledger, the audit trail and the signatures.
    When anything fails, everything is as it was. What was there before is kept aside.
    """
    from gatehouse.admin.backup.use_cases.restore import finish_restore, restore_backup

    settings = read_settings()
    if loaded and file is None and not replace:
        done = finish_restore(settings, operator(settings))
    elif file is not None and not loaded:
        done = restore_backup(settings, operator(settings), file, replace=replace)
    else:
        raise InvalidInput("give either the FILE of a backup or --loaded")
    lines = [f"{done.file}: restored, revision {done.revision}"]
    if done.proof is None:
        lines.append(
            "an earlier version, not proven yet, with sessions and links that may have ended; "
            "run: gatehouse migrate, then: gatehouse restore --loaded"
        )
    else:
        lines += _proof_lines(done.proof)
    if done.kept is not None:
        lines.append(f"what was there before is kept: {done.kept}")
    show(done, "\n".join(lines), as_json)


def copy(
    to: Annotated[
        str,
        option(
            "An empty database: postgresql://user@host/name or sqlite:///file. Leave the "
            "password to PGPASSWORD or a password file: others can read a command line.",
            metavar="URL",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Copy all data to another database, such as from SQLite to PostgreSQL.

    No server may run meanwhile. Either all rows appear in the target or none; there they are
    counted and proven. The source stays as it is. Afterwards set GATEHOUSE_DATABASE_URL to the
    target; the root secret stays the same.
    """
    from gatehouse.admin.backup.use_cases.copy_database import copy_database

    settings = read_settings()
    with Progress("copying", None) as progress:

        def reached(done: int, total: int) -> None:
            progress.reached(done, f"{done:,} of {total:,} rows", total)

        done = copy_database(settings, operator(settings), to, reached)
    lines = [f"{done.rows} rows of {len(done.tables)} tables copied to {done.target}"]
    lines += [*_proof_lines(done.proof), f"next: set GATEHOUSE_DATABASE_URL={done.target}"]
    show(done, "\n".join(lines), as_json)


def _proof_lines(proof: "DataProof") -> list[str]:
    return [
        f"{proof.accounts} accounts, {proof.decisions} decisions, {proof.ledger_entries} ledger "
        f"entries, {proof.audit_lines} audit lines: all agree, and signatures fit",
        f"audit head {proof.audit_head}",
    ]


def doctor(as_json: AsJson = False) -> None:
    """Go through the go-live list; each point that is open says what to do."""
    from gatehouse.admin.installation.use_cases.go_live import inspect

    report = inspect(read_settings(), unknown_variables(os.environ), env_file(os.environ))
    lines = []
    for point in report.points:
        mark = "ok  " if point.ok else "OPEN" if point.needed else "hint"
        lines.append(f"{mark}  {point.name}: {hinted(point.found)}")
        if not point.ok:
            lines.append(f"      to do: {point.remedy}")
    lines.append("ready for production" if report.ready else "not ready for production")
    show(report, "\n".join(lines), as_json)
    if not report.ready:
        raise typer.Exit(1)


def migrate(as_json: AsJson = False) -> None:
    """Create or upgrade the database. A sandbox does this by itself, production never."""
    from gatehouse.operations.installation import migrate_database

    before, after = migrate_database(read_settings())
    text = f"up to date at {after}" if before == after else f"{before or 'empty'} -> {after}"
    show({"before": before, "after": after}, text, as_json)
