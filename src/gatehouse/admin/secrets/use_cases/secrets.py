"""The key ring: which keys are on it, a new root secret for all of them, and new keys."""

from collections.abc import Callable, Sequence

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import InvalidInput, SettingsError
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.keyring import RootSecret
from gatehouse.core.secrets.strength import weakness
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.fingerprint_conversion import convert_records
from gatehouse.store.admin.keyring import NewKeyVersion, in_force, insert_key, rewrap
from gatehouse.store.configured.first_signing import never_signed, sign_as_it_is
from gatehouse.store.configured.signing import INSTALLATION
from gatehouse.store.configured.whole_check import why_refused
from gatehouse.store.identities import erasure


def key_versions(session: AdminSession) -> list[tuple[str, int]]:
    """Purpose and version of every key on the ring, never a key itself."""
    session.actor.check_installation()
    return session.ring.versions()


def new_root_secret(text: str) -> RootSecret:
    """A root secret to change to; one that could be guessed is refused."""
    try:
        secret, reason = RootSecret.parse(text), weakness(text)
    except SettingsError as error:
        raise InvalidInput(str(error)) from None
    if reason is not None:
        raise InvalidInput(
            f"the new secret could be guessed: {reason}; make one with: "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return secret


def rotate_root(
    session: AdminSession, roots: Sequence[RootSecret], new: RootSecret | None = None
) -> int:
    """Wrap the ring with a new root secret; how many keys that are.

    Without a new one, with that of the root secrets which does not wrap it yet.
    """
    with session.installation_change() as change:
        old = in_force(change.connection, roots)
        new = new or _other(roots, old)
        count = rewrap(change.connection, old, new, change.random_bytes)
        change.audit("secrets.rotate-root", keys=count)
    return count


def _other(roots: Sequence[RootSecret], old: RootSecret) -> RootSecret:
    for each in roots:
        if each is not old:
            return new_root_secret(each.reveal())
    raise InvalidInput(
        "there is no new root secret: name a file with --new-secret-file, or set "
        "GATEHOUSE_OTHER_SECRET_KEY to it"
    )


def renew_fingerprints(session: AdminSession, roots: Sequence[RootSecret]) -> int:
    """Replace the key of card fingerprints; its version. Earlier fingerprints match no more."""
    return _renew(session, roots, keyring.CARD_FINGERPRINTS, "secrets.renew-fingerprints")


def convert_fingerprints(
    session: AdminSession, reached: Callable[[int], object]
) -> tuple[int, bool]:
    """Give decision records of earlier versions the fingerprints of their accounts.

    How many were converted, and whether the unused space of the database was cleared of copies.
    """
    session.actor.check_installation()
    count = convert_records(session, reached)
    with session.reading() as connection:
        due = erasure.is_due(connection)
    return count, erasure.tidy(session, None) if due else True


def renew_identities(session: AdminSession, roots: Sequence[RootSecret]) -> int:
    """Add a new key for identity records; its version. Older keys still open older records."""
    return _renew(session, roots, keyring.IDENTITIES, "secrets.renew-identities")


class SignedConfiguration(CamelStruct):
    """What was signed of an account."""

    account_id: str
    rows: int


def sign_configuration(
    session: AdminSession, account_id: str | None = None
) -> list[SignedConfiguration]:
    """Sign what accounts have configured: all that never was, or one account as it is now."""
    with session.installation_change() as change:
        if account_id is not None:
            accounts.get(change.connection, account_id)
        chosen = never_signed(change.connection) if account_id is None else [account_id]
        done = [SignedConfiguration(each, sign_as_it_is(change, each)) for each in chosen]
        if not done:
            change.audit("configuration.sign", rows=0)
    return done


def sign_connectors(session: AdminSession) -> list[SignedConfiguration]:
    """Sign the configuration of the connectors as it is now."""
    with session.installation_change() as change:
        return [SignedConfiguration(INSTALLATION, sign_as_it_is(change, INSTALLATION))]


def refused_configurations(session: AdminSession) -> dict[str, str]:
    """The accounts whose configuration servers refuse, and why; `INSTALLATION` among them."""
    with session.installation_reading() as connection:
        known = [account.account_id for account, _ in accounts.listing(connection)]
        known.append(INSTALLATION)
        return {
            each: problem
            for each in known
            if (problem := why_refused(connection, session.signer, each)) is not None
        }


def _renew(session: AdminSession, roots: Sequence[RootSecret], purpose: str, action: str) -> int:
    with session.installation_change() as change:
        version = session.ring.current(purpose)[0] + 1
        new = NewKeyVersion(purpose, version, change.now_ms)
        insert_key(change.connection, in_force(change.connection, roots), new, change.random_bytes)
        change.audit(action, version=version)
    return version
