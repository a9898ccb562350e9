"""The command line, one module per noun: commands parse, call one use case, and print."""

import os
import sys

import msgspec

from gatehouse.cli.app import app
from gatehouse.core.errors import (
    ConfigurationRefused,
    Conflict,
    GatehouseError,
    InvalidInput,
    NotFound,
    SettingsError,
    StoreUnavailable,
)
from gatehouse.settings import InvalidSetting

EXIT_CODES: dict[type[Exception], int] = {
    NotFound: 3,
    InvalidInput: 4,
    Conflict: 4,
    ConfigurationRefused: 4,
    SettingsError: 5,
    InvalidSetting: 5,
    StoreUnavailable: 6,
}


def main() -> None:
    """Run the command line; a failure is one sentence and an exit code of its kind."""
    # Files that a command creates, such as databases and backups, are for their owner alone.
    os.umask(0o077)
    try:
        app()
    except BrokenPipeError:
        # The reader of our output went away (| head), so nothing more is printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (GatehouseError, InvalidSetting) as error:
        if "--json" in sys.argv:
            sys.stderr.buffer.write(msgspec.json.encode({"error": str(error)}) + b"\n")
        else:
            sys.stderr.write(f"gatehouse: {error}\n")
        sys.exit(next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1))
