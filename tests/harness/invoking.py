"""Commands of one app, run in this process; a start of Python each would take most of the time."""

import json
from typing import Any

import typer
from typer.testing import CliRunner, Result

from gatehouse.cli import EXIT_CODES
from gatehouse.cli.hints import hinted
from gatehouse.core.errors import GatehouseError
from gatehouse.core.wording.sentences import said_by
from tests.harness.commands import Done


def invoke(app: typer.Typer, *arguments: str, given: str | bytes = "") -> Result:
    """How a command ended; a refusal is raised."""
    done = CliRunner().invoke(app, arguments, input=given or None)
    if isinstance(done.exception, GatehouseError):
        raise worded(done.exception)
    return done


def worded(refused: GatehouseError) -> GatehouseError:
    """A refusal in the words that a terminal has for it."""
    refused.args = (hinted(said_by(refused)), *refused.args[1:])
    return refused


def printed(app: typer.Typer, *arguments: str, given: str | bytes = "") -> str:
    """What a command that succeeds prints; a refusal is raised."""
    done = invoke(app, *arguments, given=given)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def as_data(app: typer.Typer, *arguments: str) -> Any:
    """What a command prints with `--json`."""
    return json.loads(printed(app, *arguments, "--json"))


def finished(app: typer.Typer, *arguments: str, given: str | bytes = "") -> Done:
    """Code and output of a command, as a person sees them."""
    done = CliRunner().invoke(app, arguments, input=given or None)
    if done.exception is None or isinstance(done.exception, SystemExit):
        return Done(done.exit_code, done.stdout, done.stderr)
    if not isinstance(done.exception, GatehouseError):
        raise done.exception
    kind = next(kind for kind in type(done.exception).__mro__ if kind in EXIT_CODES)
    return Done(EXIT_CODES[kind], done.stdout, f"{done.stderr}{hinted(said_by(done.exception))}")
