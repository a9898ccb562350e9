"""The command `gatehouse` and its sub-commands."""

from typing import Annotated

import typer

import gatehouse
from gatehouse.cli.accounts import accounts, keys, ledger, money, statement
from gatehouse.cli.configured import lists, pipelines, rules, rules_backtest
from gatehouse.cli.decisions import decisions, feedback, reviews
from gatehouse.cli.identities import identities
from gatehouse.cli.operate import audit, gateway, installation, sandbox, secrets, serve
from gatehouse.cli.sentry import intel, sentry, sentry_replay, sentry_train

_EPILOG = (
    "Exit codes: 0 done; 1 a check found a problem; 2 wrong usage; 3 not found; 4 refused; "
    "5 a setting is missing or wrong; 6 the database is not available. "
    "Settings come from GATEHOUSE_* variables; see docs/settings.md."
)

app = typer.Typer(
    name="gatehouse",
    help="Fraud prevention and verification for card payments.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
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
    import gatehouse.stages  # noqa: F401  # registers the stages before any command runs


app.command("serve")(serve.serve)
app.add_typer(accounts.app, name="accounts")
app.add_typer(keys.app, name="keys")
app.add_typer(money.balance, name="balance")
app.add_typer(money.prices, name="prices")
money.ledger.command("show")(ledger.show_entries)
app.add_typer(money.ledger, name="ledger")
app.add_typer(identities.app, name="identities")
app.add_typer(intel.app, name="intel")
rules.app.command("backtest")(rules_backtest.backtest)
app.add_typer(rules.app, name="rules")
app.add_typer(lists.app, name="lists")
app.add_typer(pipelines.app, name="pipelines")
app.add_typer(gateway.app, name="gateway")
app.add_typer(reviews.app, name="reviews")
app.add_typer(decisions.app, name="decisions")
app.add_typer(feedback.app, name="feedback")
sentry.app.command("train")(sentry_train.train)
sentry.app.command("replay")(sentry_replay.replay)
app.add_typer(sentry.app, name="sentry")
app.command("statement")(statement.statement)
app.add_typer(audit.app, name="audit")
app.add_typer(secrets.app, name="secrets")
app.command("backup")(installation.backup)
app.command("restore")(installation.restore)
app.command("copy")(installation.copy)
app.command("sandbox")(sandbox.sandbox)
app.command("doctor")(installation.doctor)
app.command("migrate")(installation.migrate)
