"""Accounts: creating them, finding them, and setting their fees and policies."""

from typing import Any

import msgspec
import sqlalchemy as sa

from gatehouse.access.accounts import Account
from gatehouse.billing.ledger import AccountState
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.redaction import recordable
from gatehouse.intel.places import minor_digits
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured import defaults
from gatehouse.store.configured.account_signature import check_prices, sign_account, signed_change
from gatehouse.store.configured.signing import Signer
from gatehouse.store.tables import ACCOUNTS

_to_json = msgspec.json.Encoder(order="sorted").encode


def create(change: Change, name: str, currency: str, account_id: str | None = None) -> Account:
    """Create an account with an empty balance and the default rule set and pipelines.

    Several accounts may share a name.
    """
    if minor_digits(currency) is None:
        raise InvalidInput("a currency is a code of ISO 4217 in capitals, such as USD")
    shown = recordable(name.strip())
    if not 1 <= len(shown) <= 128:
        raise InvalidInput("an account needs a name of 1 to 128 characters")
    new = Account(account_id or change.new_id("acct"), shown, currency, change.now_ms, {}, {})
    if account_id is not None and _row(change.connection, account_id) is not None:
        raise Conflict(f"account {account_id} exists already")
    row = {"id": new.account_id, "name": shown, "currency": currency, "balance": 0, "held": 0}
    row |= {"created_at_ms": change.now_ms, "fees": "{}", "policies": "{}"}
    change.connection.execute(ACCOUNTS.insert(), change.signer.signed(ACCOUNTS, row))
    sign_account(change, new.account_id)
    furnished = defaults.insert_defaults(change, new.account_id)
    details = {"name": shown, "currency": currency, "furnished": furnished}
    change.audit("account.create", new.account_id, **details)
    return new


def get(connection: sa.Connection, account_id: str) -> Account:
    """The account, or `NotFound`."""
    return _account(_existing(connection, account_id))


def get_genuine(connection: sa.Connection, signer: Signer, account_id: str) -> tuple[Account, int]:
    """The account and how often its configuration was changed; or `ConfigurationRefused`."""
    row = _existing(connection, account_id)
    return _account(row), check_prices(connection, signer, row)


def listing(connection: sa.Connection) -> list[tuple[Account, AccountState]]:
    """All accounts with their balances, oldest first."""
    rows = connection.execute(sa.select(ACCOUNTS).order_by(ACCOUNTS.c.created_at_ms))
    return [(_account(row), AccountState(row.balance, row.held)) for row in rows]


def state(connection: sa.Connection, account_id: str) -> AccountState:
    """The account's balance and the part of it that is held, or `NotFound`."""
    row = _existing(connection, account_id)
    return AccountState(row.balance, row.held)


def set_fees(change: Change, account_id: str, fees: dict[str, int]) -> Account:
    """Give the account its own fees for the named types."""
    account = get(change.connection, account_id)
    return _update(change, account, "fees", {**account.fees, **fees})


def set_policy(change: Change, account_id: str, stage: str, policy: Any) -> Account:
    """Set how the account wants the results of a stage to become decisions."""
    account = get(change.connection, account_id)
    return _update(change, account, "policies", {**account.policies, stage: policy})


def _update(change: Change, account: Account, what: str, value: dict[str, Any]) -> Account:
    text = _to_json(value).decode()
    with signed_change(change, account.account_id):
        row = {**_existing(change.connection, account.account_id)._mapping, what: text}
        changed = {what: text, "signature": change.signer.sign(ACCOUNTS, row)}
        this = ACCOUNTS.c.id == account.account_id
        change.connection.execute(ACCOUNTS.update().where(this).values(changed))
    built = msgspec.to_builtins(value)
    change.audit(f"account.{what}", account.account_id, **{what: built})
    return msgspec.structs.replace(account, **{what: built})


def _existing(connection: sa.Connection, account_id: str) -> Any:
    row = _row(connection, account_id)
    if row is None:
        raise NotFound(f"no account {recordable(account_id)}; see: gatehouse accounts list")
    return row


def _row(connection: sa.Connection, account_id: str) -> Any:
    return connection.execute(sa.select(ACCOUNTS).where(ACCOUNTS.c.id == account_id)).first()


def _account(row: Any) -> Account:
    fees, policies = msgspec.json.decode(row.fees), msgspec.json.decode(row.policies)
    return Account(row.id, row.name, row.currency, row.created_at_ms, fees, policies)
