"""gatehouse secrets: status, rotate-root, renew-fingerprints, renew-identities."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from gatehouse.cli.common import AsJson, open_session, read_settings, show, table
from gatehouse.core import keyring
from gatehouse.core.errors import InvalidInput
from gatehouse.core.keyring import RootSecret
from gatehouse.store.admin.keyring import insert_key, rewrap

app = typer.Typer(help="The root secret and the ring of keys it wraps.", no_args_is_help=True)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show which keys are on the ring, never the keys."""
    versions = open_session().ring.versions()
    data = [{"purpose": purpose, "version": version} for purpose, version in versions]
    show(data, table(("PURPOSE", "VERSION"), versions), as_json=as_json)


@app.command("rotate-root")
def rotate_root(
    new_secret_file: Annotated[
        Path, typer.Option(help="File with the new root secret, at least 32 characters.")
    ],
) -> None:
    """Wrap the ring with a new root secret. Nothing else changes; restart servers with it."""
    from gatehouse.installation import root_secret

    settings = read_settings()
    try:
        new = RootSecret.parse(new_secret_file.read_text(encoding="utf-8").strip())
    except OSError as error:
        raise InvalidInput(f"cannot read {new_secret_file}: {error.strerror}") from None
    place = open_session()
    with place.change() as change:
        count = rewrap(change.connection, root_secret(settings), new, secrets.token_bytes)
        change.audit("secrets.rotate-root", keys=count)
    typer.echo(
        f"{count} keys are wrapped with the new secret. Set GATEHOUSE_SECRET_KEY to it "
        "(or, in a sandbox, put it into GATEHOUSE_HOME/root-secret) and restart the servers."
    )


@app.command("renew-fingerprints")
def renew_fingerprints(
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
) -> None:
    """Replace the key of card fingerprints."""
    typer.echo(
        "A card then gets another fingerprint than before: earlier decisions, wrong guesses, "
        "lists and identities no longer match. Lists and identities must be imported again."
    )
    if not yes:
        typer.confirm("Replace the fingerprint key?", abort=True)
    version = _renew(keyring.CARD_FINGERPRINTS, "secrets.renew-fingerprints")
    typer.echo(f"The fingerprint key is now version {version}; restart the servers.")


@app.command("renew-identities")
def renew_identities() -> None:
    """Add a new key for identity records. Nothing is lost: older keys go on opening older records.

    Afterwards run gatehouse identities reencrypt, which seals all records with the new key and
    then removes the older ones. Servers need no restart.
    """
    version = _renew(keyring.IDENTITIES, "secrets.renew-identities")
    typer.echo(
        f"The identity key is now version {version}; seal the records with it: "
        "gatehouse identities reencrypt"
    )


def _renew(purpose: str, action: str) -> int:
    """Put a fresh key for a purpose on the ring, and say its version."""
    from gatehouse.installation import root_secret

    place = open_session()
    current, _ = place.ring.current(purpose)
    version = current + 1
    with place.change() as change:
        chance = (change.now_ms, secrets.token_bytes)
        root = root_secret(read_settings())
        insert_key(change.connection, root, purpose, version, chance)
        change.audit(action, version=version)
    return version
