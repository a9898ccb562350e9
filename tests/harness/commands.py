"""The command `gatehouse`, run in this process or in one of its own."""

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from unittest import mock

from gatehouse.cli import main
from gatehouse.store.database import Database
from tests.forkserver import Fork, fork_server
from tests.harness.waiting import PATIENCE_S

GATEHOUSE = [sys.executable, "-m", "gatehouse"]


@dataclass
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def fork_command(
    arguments: Sequence[str], environ: dict[str, str], out: IO[bytes], err: IO[bytes]
) -> Fork:
    """The command in a process of its own, which need not start Python anew."""
    with Path(os.devnull).open() as nothing:
        files = [file.fileno() for file in (nothing, out, err)]
        return fork_server().start(arguments, environ, files)


def run_apart(arguments: Sequence[str], environ: dict[str, str]) -> Done:
    """Run the command in a process of its own, as a person would."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        running = fork_command(arguments, environ, out, err)
        code = running.wait(PATIENCE_S)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return Done(code, *texts)


def run_here(arguments: tuple[str, ...], environ: dict[str, str]) -> Done:
    """The command's own `main` with its own environment, output and exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    opened: list[Database] = []
    begin = Database.__init__

    def noted(database: Database, *given: Any, **options: Any) -> None:
        opened.append(database)
        begin(database, *given, **options)

    code: object = 0
    mask = os.umask(0o077)
    try:
        with (
            mock.patch.dict(os.environ, environ, clear=True),
            mock.patch.object(sys, "argv", ["gatehouse", *arguments]),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
            mock.patch.object(Database, "__init__", noted),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        os.umask(mask)
        for database in opened:
            database.dispose()
    assert isinstance(code, int)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Done(code, *texts)
