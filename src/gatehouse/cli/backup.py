"""gatehouse backup: a consistent copy while the service runs."""

import os
import shutil
import sqlite3
import subprocess  # runs pg_dump, found on the operator's own path
from pathlib import Path
from typing import Annotated

import typer

from gatehouse.cli.common import AsJson, office, read_settings, show
from gatehouse.core.errors import Conflict, InvalidInput


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the copy.")],
    as_json: AsJson = False,
) -> None:
    """Write a consistent, verified copy of the database; the service may go on running.

    Keys in it are wrapped by the root secret: keep that secret too, and somewhere else.
    """
    if file.exists():
        raise Conflict(f"{file} exists; choose another name")
    if not file.parent.is_dir():
        raise InvalidInput(f"there is no folder {file.parent}")
    place = office()
    source = place.database.file
    if source is not None:
        _copy_sqlite(source, file)
    else:
        _dump_postgres(read_settings().effective_database_url, file)
    size = file.stat().st_size
    with place.change() as change:
        change.audit("backup", file=file.name, bytes=size)
    show({"file": str(file), "bytes": size}, f"{file}: {size} bytes", as_json=as_json)


def _copy_sqlite(source: Path, target: Path) -> None:
    unfinished = target.with_name(f".{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, 0o600))
    origin, copy = sqlite3.connect(source), sqlite3.connect(unfinished)
    try:
        origin.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        verdict = copy.execute("PRAGMA quick_check").fetchone()[0]
    finally:
        origin.close()
        copy.close()
    if verdict != "ok":
        unfinished.unlink()
        raise Conflict(f"the copy did not pass its check: {verdict}")
    unfinished.rename(target)


def _dump_postgres(url: str, target: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        raise InvalidInput("pg_dump is needed to back up PostgreSQL; install its client programs")
    plain = url.replace("postgresql+psycopg://", "postgresql://")
    command = [program, "--format=custom", f"--file={target}", f"--dbname={plain}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        target.unlink(missing_ok=True)
        raise Conflict(f"pg_dump failed: {done.stderr.strip()}")
    target.chmod(0o600)
