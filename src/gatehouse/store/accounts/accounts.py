"""Accounts: creating, finding, renaming and closing them, and setting their fees and policies."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.accounts import Account
from gatehouse.billing.ledger import AccountState, BalanceTold
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import AccountClosed, Conflict, InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.core.wording.text import is_blank
from gatehouse.intel.places import minor_digits
from gatehouse.store.accounts import rows
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured import defaults
from gatehouse.store.configured.account_signature import check_prices, sign_account, signed_change
from gatehouse.store.configured.signing import Signer
from gatehouse.store.events.wishes import decision_filters
from gatehouse.store.tables import ACCOUNTS

_ACCOUNT_EXISTS: Final = Phrase("refused.account_exists", "account {account_id} exists already")
_ACCOUNT_CLOSED_ON: Final = Phrase(
    "refused.account_closed_on",
    "account {account_id} was closed on {at}; to use it again, reopen it",
)
_ACCOUNT_OPEN: Final = Phrase("refused.account_open", "account {account_id} is not closed")
REASON_LENGTH: Final = Phrase("refused.account_reason", "give a reason of 1 to {most} characters")
_STILL_OWES: Final = Phrase(
    "refused.still_owes",
    "the balance is below what is held; an account that pays in advance cannot owe anything",
)

_ACCOUNT_NAME: Final = Phrase(
    "refused.account_name", "an account needs a name of 1 to 128 characters"
)
_WRONG_CURRENCY: Final = Phrase(
    "refused.currency", "a currency is a code of ISO 4217 in capitals, such as USD"
)

LONGEST_REASON: Final = 500
_CURRENCY: Final = sa.select(ACCOUNTS.c.currency).where(
    ACCOUNTS.c.id == sa.bindparam("account_id", type_=sa.Text)
)
_to_json = msgspec.json.Encoder(order="sorted").encode


def create(change: Change, name: str, currency: str, account_id: str | None = None) -> Account:
    """Create an account with an empty balance and the default rule set and pipelines.

    Several accounts may share a name.
    """
    if minor_digits(currency) is None:
        raise InvalidInput(_WRONG_CURRENCY())
    shown = _name(name)
    new = Account(account_id or change.new_id("acct"), shown, currency, change.now_ms, {}, {})
    if account_id is not None and rows.find(change.connection, account_id) is not None:
        raise Conflict(_ACCOUNT_EXISTS(account_id=account_id))
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
    return _account(rows.get(connection, account_id))


def currency_of(connection: sa.Connection, account_id: str) -> str:
    """The currency of an account that is there."""
    return str(connection.execute(_CURRENCY, {"account_id": account_id}).scalar_one())


def get_open(connection: sa.Connection, account_id: str) -> Account:
    """The account, or `NotFound`, or `AccountClosed`."""
    account = get(connection, account_id)
    if account.closed_at_ms is not None:
        raise AccountClosed(
            _ACCOUNT_CLOSED_ON(account_id=account_id, at=iso_time(account.closed_at_ms))
        )
    return account


def get_genuine(connection: sa.Connection, signer: Signer, account_id: str) -> tuple[Account, int]:
    """The account and how often its configuration was changed; or `ConfigurationRefused`."""
    row = rows.get(connection, account_id)
    return _account(row), check_prices(connection, signer, row)


def listing(connection: sa.Connection) -> list[tuple[Account, AccountState]]:
    """All accounts with their balances, oldest first."""
    found = connection.execute(sa.select(ACCOUNTS).order_by(ACCOUNTS.c.created_at_ms))
    return [(_account(row), _state(row)) for row in found]


def state(connection: sa.Connection, account_id: str) -> AccountState:
    """The account's balance and the part of it that is held, or `NotFound`."""
    return _state(rows.get(connection, account_id))


def state_for_update(change: Change, account_id: str) -> AccountState:
    """The same with what the account was told of it; no other transaction changes it meanwhile."""
    get(change.connection, account_id)
    query = sa.select(ACCOUNTS).where(ACCOUNTS.c.id == account_id).with_for_update()
    row = change.connection.execute(query).one()
    closed = row.closed_at_ms is not None
    told, credit = BalanceTold(row.balance_told), row.credit_limit
    if credit and not change.signer.is_genuine(ACCOUNTS, row._mapping):
        credit = 0  # Somebody else wrote the limit, or what is signed with it.
    return AccountState(row.balance, row.held, closed, row.low_balance, told, credit)


def set_credit_limit(change: Change, account_id: str, limit: int | None) -> None:
    """Set how far below nothing the balance may go; None is that it is paid in advance again."""
    state = state_for_update(change, account_id)
    if limit is None and state.balance < state.held:
        raise Conflict(_STILL_OWES())
    _store(change, account_id, credit_limit=limit)
    change.audit("account.credit-limit", account_id, micros=limit, previous=state.credit)


def set_fees(change: Change, account_id: str, fees: dict[str, int | None]) -> Account:
    """Give the account its own fees for the named types; None is that of the list again."""
    account = get(change.connection, account_id)
    merged = {**account.fees, **fees}
    own = {name: fee for name, fee in merged.items() if fee is not None}
    return _update(change, account, "fees", own)


def set_policy(change: Change, account_id: str, stage: str, policy: Any) -> Account:
    """Set how the account wants the results of a stage to become decisions; None forgets it."""
    account = get(change.connection, account_id)
    return _update(change, account, "policies", _with(account, stage, policy))


def keep_policy(change: Change, account_id: str, name: str, policy: Any) -> None:
    """The same for a caller that writes an audit line of its own."""
    policies = _with(get(change.connection, account_id), name, policy)
    _store(change, account_id, policies=_to_json(policies).decode())


def _with(account: Account, name: str, policy: Any) -> dict[str, Any]:
    others = {each: kept for each, kept in account.policies.items() if each != name}
    return others if policy is None else {**others, name: policy}


def rename(change: Change, account_id: str, name: str) -> Account:
    """Give the account another name."""
    account, shown = get(change.connection, account_id), _name(name)
    _store(change, account_id, name=shown)
    change.audit("account.rename", account_id, name=shown, previous=account.name)
    return msgspec.structs.replace(account, name=shown)


def close(change: Change, account_id: str, reason: str) -> Account:
    """Close the account: its keys stop working, and nothing can be charged to it any more."""
    account = get_open(change.connection, account_id)
    closed = {"closed_at_ms": change.now_ms, "closed_reason": _reason(reason)}
    _store(change, account_id, **closed)
    change.audit("account.close", account_id, reason=closed["closed_reason"])
    return msgspec.structs.replace(account, **closed)


def reopen(change: Change, account_id: str, reason: str) -> Account:
    """Open a closed account again; its keys work as they did before."""
    account, why = get(change.connection, account_id), _reason(reason)
    if account.closed_at_ms is None:
        raise Conflict(_ACCOUNT_OPEN(account_id=account_id))
    _store(change, account_id, closed_at_ms=None, closed_reason=None)
    change.audit("account.reopen", account_id, reason=why)
    return msgspec.structs.replace(account, closed_at_ms=None, closed_reason=None)


def _name(given: str) -> str:
    shown = recordable(given.strip())
    if not 1 <= len(shown) <= 128:
        raise InvalidInput(_ACCOUNT_NAME())
    return shown


def _reason(given: str) -> str:
    shown = recordable(given.strip())
    if is_blank(shown) or len(shown) > LONGEST_REASON:
        raise InvalidInput(REASON_LENGTH(most=LONGEST_REASON))
    return shown


def _store(change: Change, account_id: str, **values: Any) -> None:
    """Change columns of an account's row, which is signed."""
    with signed_change(change, account_id):
        row = {**rows.get(change.connection, account_id)._mapping, **values}
        changed = {**values, "signature": change.signer.sign(ACCOUNTS, row)}
        this = ACCOUNTS.c.id == account_id
        change.connection.execute(ACCOUNTS.update().where(this).values(changed))


def _update(change: Change, account: Account, what: str, value: dict[str, Any]) -> Account:
    _store(change, account.account_id, **{what: _to_json(value).decode()})
    built = msgspec.to_builtins(value)
    change.audit(f"account.{what}", account.account_id, **{what: built})
    return msgspec.structs.replace(account, **{what: built})


def _state(row: Any) -> AccountState:
    return AccountState(row.balance, row.held, credit=row.credit_limit)


def _account(row: Any) -> Account:
    fees, policies = msgspec.json.decode(row.fees), msgspec.json.decode(row.policies)
    closed = (row.closed_at_ms, row.closed_reason)
    told = decision_filters(row.event_filters)
    parts = (row.currency, row.created_at_ms, fees, policies, *closed, told, row.credit_limit or 0)
    return Account(row.id, row.name, *parts)
