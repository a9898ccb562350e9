"""The account that is meant when none is named, and the sandbox's demo account."""

from typing import Final

from gatehouse.access.keys import key_hash
from gatehouse.admin.accounts.use_cases import accounts as account_cases
from gatehouse.core.errors import InvalidInput
from gatehouse.core.secrets.keyring import API_KEYS
from gatehouse.operations.installation import prepared_home, write_private
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts, keys, ledger
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import defaults

DEMO_ACCOUNT: Final = "acct_demo"
_DEMO_BALANCE_MICROS: Final = 100_000_000
_DEMO_KEY_FILE: Final = "demo-key"


def resolve_account(session: AdminSession, settings: Settings, named: str | None) -> str:
    """The named account, the actor's own, the only one, or the demo account of a sandbox."""
    wanted = named or session.actor.account_id
    if wanted is not None:
        return account_cases.get(session, wanted).account.account_id
    known = [each.account.account_id for each in account_cases.listing(session)]
    if len(known) == 1:
        return known[0]
    if session.environment == "sandbox" and DEMO_ACCOUNT in known:
        return DEMO_ACCOUNT
    if not known and session.environment == "sandbox":
        ensure_demo(session, settings)
        return DEMO_ACCOUNT
    if not known:
        raise InvalidInput("there is no account yet; make one: gatehouse accounts create NAME")
    raise InvalidInput(
        f"there are {len(known)} accounts; say which one with --account or GATEHOUSE_ACCOUNT, "
        "see: gatehouse accounts list"
    )


def ensure_demo(session: AdminSession, settings: Settings) -> str:
    """The demo account's key; account and key are made on the first start of a sandbox."""
    session.actor.check_installation()
    path = settings.home / _DEMO_KEY_FILE
    with prepared_home(settings):
        if path.exists():
            text = path.read_text(encoding="utf-8").strip()
            if _is_active(session, text):
                # A demo account may be older than rules and pipelines.
                account_cases.seed_defaults(session, DEMO_ACCOUNT)
                return text
        with session.change() as change:
            # Asked under the lock of changes: a server with another home may have made it.
            known = (each.account_id for each, _ in accounts.listing(change.connection))
            if DEMO_ACCOUNT not in known:
                accounts.create(change, "Demo", "USD", DEMO_ACCOUNT)
                ledger.top_up(change, DEMO_ACCOUNT, _DEMO_BALANCE_MICROS, "play money")
            defaults.seed_defaults(change, DEMO_ACCOUNT)
            text = keys.issue(change, DEMO_ACCOUNT, keys.KeyTerms("demo")).text
        write_private(path, text)
        return text


def _is_active(session: AdminSession, key_text: str) -> bool:
    """Whether the stored demo key still opens this database."""
    _, hashing_key = session.ring.current(API_KEYS)
    with session.reading() as connection:
        key = keys.find(connection, key_hash(key_text, hashing_key), session.signer)
    return key is not None and key.status(session.clock()) == "active"
