"""The command line, one module per noun: commands parse, call one use case, and print."""

import contextlib
import gc
import os
import sys
from typing import Any, Final, NoReturn

from gatehouse.cli.hints import as_hinted, hinted
from gatehouse.core.errors import (
    ConfigurationRefused,
    Conflict,
    GatehouseError,
    InvalidInput,
    NotFound,
    SettingsError,
    StoreUnavailable,
    WrongUsage,
)
from gatehouse.core.wording.sentences import said_by
from gatehouse.settings.settings import InvalidSetting

EXIT_CODES: dict[type[Exception], int] = {
    WrongUsage: 2,
    NotFound: 3,
    InvalidInput: 4,
    Conflict: 4,
    ConfigurationRefused: 4,
    SettingsError: 5,
    InvalidSetting: 5,
    StoreUnavailable: 6,
}
WORDS: Final = {
    1: "failed",
    2: "wrong_usage",
    3: "not_found",
    4: "refused",
    5: "wrong_setting",
    6: "database_unavailable",
}
"""What an error is called in JSON, by exit code."""

_COMPLETING: Final = "_GATEHOUSE_COMPLETE"
"""The variable in which the shell says that it completes a line."""
INTERRUPTED: Final = 128 + 2
"""The code of a command that Ctrl+C ended: 128 and the number of the signal, as shells have it."""
PIPE_CLOSED: Final = 128 + 13
"""The code of a command whose reader went away, as with `| head`."""


def main() -> None:
    """Run the command line; a failure is one sentence and an exit code of its kind."""
    # Files that a command creates, such as databases and backups, are for their owner alone.
    os.umask(0o077)
    if _COMPLETING in os.environ:
        _complete()
    as_json = "--json" in sys.argv
    try:
        code = _run(as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        _end_quietly()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (GatehouseError, InvalidSetting) as error:
        code = next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)
        _report(error, code, as_json=as_json)
    if "duckdb" in sys.modules:
        # It prints what is alive at the end, and nothing frees what the collector does not look at.
        gc.unfreeze()
    sys.exit(code)


def _complete() -> NoReturn:
    """Answer a shell that completes a line; a failure must not be printed into that line."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # until the process ends
    with contextlib.suppress(BaseException):
        _run(as_json=False)
        sys.stdout.flush()
    sys.exit(0)


def _run(*, as_json: bool) -> int:
    # Imported here, so that Ctrl+C is quiet from the beginning.
    import typer

    from gatehouse.cli.app import app

    try:
        # For people, typer shows wrong usage by itself.
        return app(prog_name="gatehouse", standalone_mode=not as_json) or 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            raise BrokenPipeError from None
        return end.code if isinstance(end.code, int) else 0
    except typer.TyperException as error:
        _report(error, error.exit_code, as_json=True)
        return error.exit_code
    except typer.Abort:
        _report(GatehouseError("the question was not answered with yes"), 1, as_json=True)
        return 1


def _report(error: Any, code: int, *, as_json: bool) -> None:
    """Say on standard error what is wrong."""
    words = hinted(said_by(error))
    if not as_json:
        sys.stderr.write(f"gatehouse: {words}\n")
        return
    import msgspec

    message = error.format_message() if hasattr(error, "format_message") else words
    told = {"code": WORDS[code], "message": message, "exitCode": code}
    flaws = getattr(error, "flaws", None)
    if flaws is not None:
        told["flaws"] = flaws
    sys.stderr.buffer.write(msgspec.json.encode({"error": told}, enc_hook=as_hinted) + b"\n")


def _end_quietly() -> NoReturn:
    # What is left in the buffer would be tried again, and fail again, at the very end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(PIPE_CLOSED)
