"""An account for the tests of one server, with money and a key."""

from gatehouse.store.accounts import accounts, keys, ledger
from gatehouse.store.admin.admin_session import AdminSession


class Merchant:
    """An account of its own with a key for everything, or for some operations."""

    def __init__(self, session: AdminSession, *scopes: str, micros: int = 7_000_000) -> None:
        with session.change() as change:
            self.account = accounts.create(change, "Shop", "USD").account_id
            ledger.top_up(change, self.account, micros, "")
            terms = keys.KeyTerms(scopes=scopes, rate_limit_per_second=0)
            key, self.key = keys.issue(change, self.account, terms)
        self.actor = f"key:{key.key_id}"
