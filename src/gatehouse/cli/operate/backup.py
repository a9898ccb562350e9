"""gatehouse backup: a consistent copy while the service runs."""

from pathlib import Path
from typing import Annotated

import typer

from gatehouse.cli.arguments import AsJson
from gatehouse.cli.opening import operator, read_settings
from gatehouse.cli.output import show


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the copy.")],
    as_json: AsJson = False,
) -> None:
    """Write a consistent, checked copy of the database; the service may go on running.

    The database is copied as it is, also before a migration. Keys in it are wrapped by the root
    secret: keep that secret too, and somewhere else.
    """
    from gatehouse.admin.backup import write_backup

    size = write_backup(read_settings(), operator(), file)
    show({"file": str(file), "bytes": size}, f"{file}: {size} bytes", as_json=as_json)
