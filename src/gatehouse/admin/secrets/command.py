"""gatehouse secrets: the root secret, the keys of the ring, and signing what is configured."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatehouse.admin.opening import open_session, read_settings
from gatehouse.cli.arguments import AsJson, option
from gatehouse.cli.output import show, table
from gatehouse.cli.progress import Progress
from gatehouse.core.errors import InvalidInput

if TYPE_CHECKING:
    from gatehouse.core.secrets.keyring import RootSecret

app = typer.Typer(no_args_is_help=True)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show which keys are on the ring, never the keys."""
    from gatehouse.admin.secrets.use_cases import secrets

    versions = secrets.key_versions(open_session())
    data = [{"purpose": purpose, "version": version} for purpose, version in versions]
    show(data, table(("PURPOSE", "VERSION"), versions), as_json)


@app.command("rotate-root")
def rotate_root(
    new_secret_file: Annotated[
        Path | None,
        option(
            "File with the new root secret, at least 32 characters. Without it, the one in "
            "GATEHOUSE_OTHER_SECRET_KEY or GATEHOUSE_SECRET_KEY that does not wrap the ring yet."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Wrap the ring with a new root secret. Nothing else changes.

    With GATEHOUSE_OTHER_SECRET_KEY set to the new secret on all servers before, nothing stops.
    """
    from gatehouse.admin.secrets.use_cases import secrets

    new = None
    if new_secret_file is not None:
        try:
            new = secrets.new_root_secret(new_secret_file.read_text(encoding="utf-8").strip())
        except OSError as error:
            raise InvalidInput(f"cannot read {new_secret_file}: {error.strerror}") from None
    count = secrets.rotate_root(open_session(), _root_secrets(), new)
    text = (
        f"{count} keys are wrapped with the new secret. Set GATEHOUSE_SECRET_KEY to it (or, in a "
        "sandbox, put it into GATEHOUSE_HOME/root-secret), take GATEHOUSE_OTHER_SECRET_KEY away, "
        "and restart the servers."
    )
    show({"keys": count}, text, as_json)


@app.command("renew-fingerprints")
def renew_fingerprints(
    yes: Annotated[bool, option("Do it without asking.", "--yes")] = False,
    as_json: AsJson = False,
) -> None:
    """Replace the key of card fingerprints."""
    from gatehouse.admin.secrets.use_cases import secrets

    typer.echo(
        "A card then gets another fingerprint than before: earlier decisions, wrong guesses, "
        "lists and identities no longer match. Lists and identities must be imported again.",
        err=True,
    )
    if not yes:
        typer.confirm("Replace the fingerprint key?", abort=True, err=True)
    version = secrets.renew_fingerprints(open_session(), _root_secrets())
    text = f"The fingerprint key is now version {version}; restart the servers."
    show({"version": version}, text, as_json)


@app.command("convert-fingerprints")
def convert_fingerprints(as_json: AsJson = False) -> None:
    """Convert decision records that were made before fingerprints belonged to accounts.

    Servers go on meanwhile. After an interruption, run it again. What is shown does not change:
    records that are not converted yet are converted when they are read.
    """
    from gatehouse.admin.secrets.use_cases import secrets

    with Progress("converting", None) as progress:
        count, cleared = secrets.convert_fingerprints(
            open_session(), lambda done: progress.reached(done, f"{done:,} records")
        )
    text = f"{count} records converted; older backups still hold what was in them."
    if not cleared:
        text += "\nClear copies out of unused space with: gatehouse identities compact"
    show({"converted": count, "compacted": cleared}, text, as_json)


@app.command("renew-identities")
def renew_identities(as_json: AsJson = False) -> None:
    """Add a new key for identity records. Nothing is lost: older keys go on opening older records.

    Afterwards run gatehouse identities reencrypt, which seals all records with the new key and
    then removes the older ones. Servers need no restart.
    """
    from gatehouse.admin.secrets.use_cases import secrets

    version = secrets.renew_identities(open_session(), _root_secrets())
    text = (
        f"The identity key is now version {version}; seal the records with it: "
        "gatehouse identities reencrypt"
    )
    show({"version": version}, text, as_json)


@app.command("sign-configuration")
def sign_configuration(
    account: Annotated[
        str | None,
        option("Sign this account as it is now, even if it was changed.", metavar="ACCOUNT"),
    ] = None,
    connectors: Annotated[
        bool, option("The same for the connectors of all accounts.", "--connectors")
    ] = False,
    yes: Annotated[bool, option("Do it without asking.", "--yes")] = False,
    as_json: AsJson = False,
) -> None:
    """Sign rule sets, pipelines, models, lists, prices and keys as they are in the database.

    Without --account, only accounts that were never signed: this is needed once, after an upgrade
    from a version without signatures. Look at what is configured first. Servers trust it then.
    """
    from gatehouse.admin.secrets.use_cases import secrets

    whose = "for all connectors" if connectors else f"for account {account}"
    if (connectors or account is not None) and not yes:
        typer.confirm(f"Trust everything that is configured {whose}?", abort=True, err=True)
    session = open_session()
    if connectors:
        signed = secrets.sign_connectors(session)
    else:
        signed = secrets.sign_configuration(session, account)
    lines = [f"{each.account_id}: {each.rows} rows signed" for each in signed]
    show(signed, "\n".join(lines) or "every account is signed already", as_json)


def _root_secrets() -> "tuple[RootSecret, ...]":
    from gatehouse.operations.installation import root_secrets

    return root_secrets(read_settings())
