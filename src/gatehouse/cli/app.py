"""The command `gatehouse` and its sub-commands."""

from typing import Annotated, Final

import typer

import gatehouse
from gatehouse.cli.late import late_group
from gatehouse.cli.operate import installation, sandbox, serve

_EPILOG = (
    "Exit codes: 0 done; 1 a check found a problem; 2 wrong usage; 3 not found; 4 refused; "
    "5 a setting is missing or wrong; 6 the database is not available. "
    "Settings come from GATEHOUSE_* variables; see docs/settings.md."
)

_ROOM: Final = "gatehouse.cli"
_LATE: Final = (
    ("statement", "accounts.statement:statement", "Print what moved a balance, by month or dates."),
    ("accounts", "accounts.accounts:app", "Accounts: merchants and payment providers."),
    ("keys", "accounts.keys:app", "API keys of an account."),
    ("users", "accounts.users:app", "People who sign in to the console, and their roles."),
    (
        "proposals",
        "accounts.proposals:app",
        "Two pairs of eyes: changes that one person proposes and another approves.",
    ),
    ("balance", "accounts.money:balance", "Prepaid balances."),
    ("prices", "accounts.money:prices", "The fee schedule of an account."),
    ("ledger", "accounts.money:ledger", "The ledger: every movement of money."),
    (
        "identities",
        "identities.identities:app",
        "Authoritative records of who holds which card; ID Verify compares with them.",
    ),
    ("intel", "sentry.intel:app", "What is known about addresses, and where from."),
    ("rules", "configured.rules:app", "Rule sets: what is decided about a request."),
    (
        "lists",
        "configured.lists:app",
        "Lists of cards, networks, mailboxes and the like, for rules to look things up on.",
    ),
    ("pipelines", "configured.pipelines:app", "Pipelines: which stages a request goes through."),
    (
        "gateway",
        "operate.gateway:app",
        "Payments whose end at the gateway was not known; they are reversed.",
    ),
    (
        "connectors",
        "operate.connectors:app",
        "Connectors to issuers, identity sources and gateways, and the routes to them.",
    ),
    ("webhooks", "operate.webhooks:app", "Webhooks: who is told of what happens, and how it went."),
    ("reviews", "decisions.reviews:app", "Decisions that a person is to look at."),
    ("decisions", "decisions.decisions:app", "Records of what was decided, and why."),
    ("figures", "decisions.figures:figures", "Count decisions by outcome, fraud and latency."),
    ("feedback", "decisions.feedback:app", "What requests turned out to be: fraud or legitimate."),
    ("events", "operate.events:app", "What happened to an account, as its programs are told."),
    ("console", "operate.console:console", "Serve the console: pages for people."),
    ("health", "operate.health:health", "Ask the server of this machine whether it answers."),
    ("sentry", "sentry.sentry:app", "The models that Sentry scores with."),
    ("jobs", "operate.jobs:app", "Long work that was asked for over the management API."),
    ("demo", "operate.demo:app", "A made-up past for the sandbox's demo account."),
    ("retention", "operate.retention:app", "How long data is kept; deletes what is older."),
    ("privacy", "operate.privacy:app", "The rights of a person: export and erase everything."),
    ("audit", "operate.audit:app", "The trail of everything that was changed."),
    (
        "reference-host",
        "operate.reference_host:reference_host",
        "Serve the sandbox over ISO 8583 and HTTP, for trying connectors.",
    ),
    ("secrets", "operate.secrets:app", "The root secret and the ring of keys it wraps."),
)
"""Commands by name, the module and name of their typer app, and what they are about."""

app = typer.Typer(
    name="gatehouse",
    help="Fraud prevention and verification for card payments.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    cls=late_group([(name, f"{_ROOM}.{place}", about) for name, place, about in _LATE]),
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
app.command("backup")(installation.backup)
app.command("restore")(installation.restore)
app.command("copy")(installation.copy)
app.command("sandbox")(sandbox.sandbox)
app.command("doctor")(installation.doctor)
app.command("migrate")(installation.migrate)
