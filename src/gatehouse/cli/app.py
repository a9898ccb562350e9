"""The command `gatehouse` and its sub-commands."""

from typing import Annotated, Final

import typer

import gatehouse
from gatehouse.cli.late import late_group
from gatehouse.core.subject import subjects

_EPILOG = (
    "Exit codes: 0 done; 1 a check found a problem; 2 wrong usage; 3 not found; 4 refused; "
    "5 a setting is missing or wrong; 6 the database is not available. "
    "Settings come from GATEHOUSE_* variables; see docs/settings.md."
)

_SERVING: Final = (
    ("serve", "gatehouse.serving.serve:serve", "Serve the API until stopped."),
    ("console", "gatehouse.serving.console:console", "Serve the console: pages for people."),
)


def _commands() -> list[tuple[str, str, str]]:
    """All commands by name, with the place of each and what it is about."""
    of_subjects = [
        (name, subject.whole(place), about)
        for subject in subjects()
        for name, place, about in subject.commands
    ]
    return [*_SERVING, *of_subjects]


app = typer.Typer(
    name="gatehouse",
    help="Fraud prevention and verification for card payments.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    cls=late_group(_commands()),
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gatehouse {gatehouse.__version__}")
        raise typer.Exit


@app.callback()
def _gatehouse(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Fraud prevention and verification for card payments."""
    import gatehouse.operations.stages  # noqa: F401  # registers the stages before any command runs
