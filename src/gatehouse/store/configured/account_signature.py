"""Signs what an account has configured as a whole, and checks it before it is used or changed.

The signature of an account covers those of its prices, of every head and of every list, and counts
changes: no row of them can be removed, added or put back on its own.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.errors import ConfigurationRefused
from gatehouse.core.wording.sentences import Phrase, row
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured.signing import INSTALLATION, Signer, is_same
from gatehouse.store.tables import ACCOUNTS, CONFIGURATION_HEADS, CONFIGURATION_TOTALS, LISTS

_REFUSED: Final = Phrase(
    "refused.configuration_refused",
    "the configuration of {whose} is refused: {problems}. It was changed in the database "
    "and not by Gatehouse, or it was never signed. Apply the right file again or restore the "
    "database",
)
_VERSION_IN_FORCE: Final = Phrase(
    "refused.version_in_force", "the version in force of {kind} {name}"
)
_KIND_OTHER: Final = Phrase("refused.kind_other", "{kind}")

_NEVER_SIGNED_SAID: Final = Phrase("refused.never_signed", "what it configured was never signed")
_SOMETHING_REMOVED: Final = Phrase(
    "refused.something_removed",
    "something configured was removed, added or put back to an earlier state",
)
_WHOSE_ACCOUNT: Final = Phrase("refused.whose_account", "account {account_id}")
_WHOSE_CONNECTORS: Final = Phrase("refused.whose_connectors", "the connectors")
_PUT_BACK: Final = Phrase("refused.put_back", "it was put back to an earlier state")
_WAS_CHANGED: Final = Phrase("refused.was_changed", "{what} was changed")
_ITS_ROW: Final = Phrase("refused.its_row", "its row with fees and policies")
_ITS_LIST: Final = Phrase("refused.its_list", "list {name}")

_NEVER_SIGNED: Final = _NEVER_SIGNED_SAID()
_MISSING: Final = _SOMETHING_REMOVED()
# Statements that are run several times in every change are made once.
_ACCOUNT: Final[sa.BindParameter[str]] = sa.bindparam("account_id")
_SIGNATURES: Final = sa.union_all(
    *(
        sa.select(table.c.signature).where(table.c.account_id == _ACCOUNT)
        for table in (CONFIGURATION_HEADS, LISTS)
    )
)
_ROWS: Final = {
    ACCOUNTS: sa.select(ACCOUNTS).where(ACCOUNTS.c.id == _ACCOUNT),
    **{
        table: sa.select(table).where(table.c.account_id == _ACCOUNT)
        for table in (CONFIGURATION_HEADS, LISTS)
    },
}
_TOTAL: Final = sa.select(CONFIGURATION_TOTALS).where(CONFIGURATION_TOTALS.c.account_id == _ACCOUNT)
_KINDS: Final = {
    "rules": Phrase("refused.kind_rules", "rule set"),
    "pipeline": Phrase("refused.kind_pipeline", "pipeline"),
    "model": Phrase("refused.kind_model", "model"),
    "experiment": Phrase("refused.kind_experiment", "experiment"),
    "connectors": Phrase("refused.kind_connectors", "configuration of"),
}


def refused(account_id: str, *problems: str) -> ConfigurationRefused:
    """The refusal, with what was found and what an operator can do."""
    whose, option = _WHOSE_ACCOUNT(account_id=account_id), f"--account {account_id}"
    if account_id == INSTALLATION:
        whose, option = _WHOSE_CONNECTORS(), "--connectors"
    return ConfigurationRefused(
        account_id,
        _REFUSED(whose=whose, problems=row(problems, ";"), option=option),
    )


def put_back(account_id: str) -> ConfigurationRefused:
    """The refusal of a configuration that is older than one that was loaded before."""
    return refused(account_id, _PUT_BACK())


def check_account(connection: sa.Connection, signer: Signer, account_id: str) -> int:
    """How often the account's configuration was changed; or `ConfigurationRefused`."""
    rows = _rows(connection, account_id)
    changed = [_called(*each) for each in rows if not signer.is_genuine(each[0], each[1]._mapping)]
    signatures = [row.signature for _, row in rows]
    return _check(connection, signer, account_id, signatures, changed)


def check_prices(connection: sa.Connection, signer: Signer, account: Any) -> int:
    """The same for the row of an account alone, and that no head and no list is missing."""
    changed = [] if signer.is_genuine(ACCOUNTS, account._mapping) else [_called(ACCOUNTS, account)]
    others = connection.scalars(_SIGNATURES, {"account_id": account.id})
    return _check(connection, signer, account.id, [account.signature, *others], changed)


@contextlib.contextmanager
def signed_change(change: Change, account_id: str) -> Iterator[None]:
    """Around a change of what an account configured: checked before, signed after.

    Without the check, the signature would cover what somebody else has written.
    """
    check_account(change.connection, change.signer, account_id)
    yield
    sign_account(change, account_id)


def sign_account(change: Change, account_id: str) -> None:
    """Sign what the account has configured, as it is now."""
    total = _total(change.connection, account_id)
    changes = 1 if total is None else total.changes + 1
    signatures = [row.signature for _, row in _rows(change.connection, account_id)]
    signature = _sign(change.signer, account_id, changes, signatures)
    values = {"account_id": account_id, "changes": changes, "signature": signature}
    if total is None:
        change.connection.execute(CONFIGURATION_TOTALS.insert(), values)
        return
    this = CONFIGURATION_TOTALS.c.account_id == account_id
    change.connection.execute(CONFIGURATION_TOTALS.update().where(this).values(values))


def _rows(connection: sa.Connection, account_id: str) -> list[tuple[sa.Table, Any]]:
    """The rows that are signed together."""
    given = {"account_id": account_id}
    return [
        (table, row) for table, query in _ROWS.items() for row in connection.execute(query, given)
    ]


def _check(
    connection: sa.Connection,
    signer: Signer,
    account_id: str,
    signatures: Sequence[str | None],
    changed: Sequence[str],
) -> int:
    total = _total(connection, account_id)
    if total is None:
        if account_id == INSTALLATION and not signatures:
            return 0  # An account is signed when it is made; this one begins with its first file.
        raise refused(account_id, _NEVER_SIGNED)
    if changed:
        raise refused(account_id, *(_WAS_CHANGED(what=each) for each in changed))
    if not is_same(total.signature, _sign(signer, account_id, total.changes, signatures)):
        raise refused(account_id, _MISSING)
    changes: int = total.changes
    return changes


def _total(connection: sa.Connection, account_id: str) -> Any:
    return connection.execute(_TOTAL, {"account_id": account_id}).first()


def _sign(signer: Signer, account_id: str, changes: int, signatures: Sequence[str | None]) -> str:
    # In one order on every database: collations differ.
    inner = sorted(each or "" for each in signatures)
    return signer.sign_values("configuration_totals", account_id, changes, inner)


def _called(table: sa.Table, found: Any) -> str:
    if table is ACCOUNTS:
        return _ITS_ROW()
    if table is LISTS:
        return _ITS_LIST(name=found.name)
    kind = _KINDS.get(found.kind, _KIND_OTHER)(kind=found.kind)
    return _VERSION_IN_FORCE(kind=kind, name=found.name)
