"""What was changed in the database behind the service's back is refused, and the last good stays.

An attacker here can write to every table but does not have the keys.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from gatehouse.access.keys import key_hash
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.configurations.use_cases import configurations as configuration_cases
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.core.errors import ConfigurationRefused
from gatehouse.core.secrets import keyring
from gatehouse.operations import account_setup
from gatehouse.operations.account_setup import Setups
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.accounts import accounts, keys
from gatehouse.store.accounts.callers import CallerDirectory
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations, lists, models
from gatehouse.store.configured.configurations import ConfigurationKey, VersionContent
from gatehouse.store.configured.first_signing import never_signed, sign_as_it_is, sign_sandbox
from gatehouse.store.configured.list_plans import PlannedEntry
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.configured.signing import Signer, signed_columns
from gatehouse.store.configured.whole_check import why_refused
from gatehouse.store.tables import METADATA
from tests.operations.test_account_setup import CountingBuilder, _apply, _keep, _program

T = TypeVar("T")

ATTACKS = {
    "the program of a rule set": (
        "UPDATE configurations SET program = replace(program, 'REVIEW', 'ACCEPT')"
        " WHERE account_id = :mine AND kind = 'rules'"
    ),
    "a condition of a pipeline": (
        "UPDATE configurations SET program = replace(program, 'DECLINE', 'NEVER')"
        " WHERE account_id = :mine AND kind = 'pipeline'"
    ),
    "the weights of a model": (
        "UPDATE configurations SET program = replace(program, '0.', '1.')"
        " WHERE account_id = :mine AND kind = 'model'"
    ),
    "an earlier version in force": (
        "UPDATE configuration_heads SET version = 1 WHERE account_id = :mine AND kind = 'rules'"
    ),
    "the program and signature of another account": (
        "UPDATE configurations SET (program, document, signature) = (SELECT program, document,"
        " signature FROM configurations"
        " WHERE account_id = :other AND kind = 'rules' AND version = 2)"
        " WHERE account_id = :mine AND kind = 'rules' AND version = 2"
    ),
    "a rule set removed": (
        "DELETE FROM configuration_heads WHERE account_id = :mine AND kind = 'rules'"
    ),
    "a model removed": (
        "DELETE FROM configuration_heads WHERE account_id = :mine AND kind = 'model'"
    ),
    "a signature removed": (
        "UPDATE configuration_heads SET signature = NULL WHERE account_id = :mine"
    ),
    "all signatures removed": "DELETE FROM configuration_totals WHERE account_id = :mine",
    "the kind of a list": (
        "UPDATE lists SET kind = 'words' WHERE account_id = :mine AND name = 'bad'"
    ),
    "a list removed": "DELETE FROM lists WHERE account_id = :mine AND name = 'bad'",
    "an entry removed": "DELETE FROM list_entries WHERE account_id = :mine AND value = 'u1'",
    "an entry ended": "UPDATE list_entries SET removed_at_ms = 1 WHERE account_id = :mine",
    "an entry expired": (
        "UPDATE list_entries SET expires_at_ms = 1 WHERE account_id = :mine AND value = 'u1'"
    ),
    "an entry renamed": (
        "UPDATE list_entries SET value = 'u9' WHERE account_id = :mine AND value = 'u1'"
    ),
    "an entry moved here": "UPDATE list_entries SET account_id = :mine WHERE account_id = :other",
    "an entry on another list": (
        "UPDATE list_entries SET list = 'blocked-users' WHERE account_id = :mine AND value = 'u1'"
    ),
    "prices": "UPDATE accounts SET fees = '{\"RULES\": 0}' WHERE id = :mine",
    "a credit limit": "UPDATE accounts SET credit_limit = 1000000000 WHERE id = :mine",
    "policies": "UPDATE accounts SET policies = '{\"PreCheck\": {}}' WHERE id = :mine",
}


def _merchant(session: AdminSession, value: str = "u") -> str:
    """An account with a second version of its rules, a model, and a list with two entries."""
    with session.change() as change:
        account = accounts.create(change, "Shop", "USD").account_id
        some = [PlannedEntry(f"{value}{number}", "-") for number in (1, 2)]
        lists.add(change, account, "bad", ListKind.USERS, some)
    _apply(session, account, "order.amount > 5")
    _keep(session, account, _program("mine"))
    return account


def _run(scenario: Callable[[], Awaitable[T]]) -> T:
    async def whole() -> T:
        return await scenario()

    return asyncio.run(whole())


def _attack(session: AdminSession, statement: str, **places: str) -> None:
    with session.database.writing() as connection:
        assert connection.execute(sa.text(statement), places).rowcount > 0, statement


def _setups(session: AdminSession, refusals: Refusals | None = None) -> Setups:
    return Setups(session.database, CountingBuilder(), session.signer, refusals)


async def _until(reached: Callable[[], bool], name: str = "it") -> None:
    for _ in range(6000):
        if reached():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{name} was not refused")


def test_every_change_by_others_is_refused_and_the_last_good_configuration_stays_in_use(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(range(10_000))
    # A server reads again whenever the stamp of an account changes.
    monkeypatch.setattr(
        account_setup, "stamps_of", lambda _, every: dict.fromkeys(every, str(next(moments)))
    )
    monkeypatch.setattr(account_setup, "stamp_of", lambda *_: "now/now" + str(next(moments)))

    async def scenario(name: str, statement: str) -> None:
        mine, other = _merchant(session), _merchant(session, "o")
        refusals = Refusals()
        setups = _setups(session, refusals)
        good = await setups.find(mine)
        work = asyncio.create_task(setups.run())
        _attack(
            session,
            statement,
            **{n: i for n, i in (("mine", mine), ("other", other)) if f":{n}" in statement},
        )
        setups.changed()
        await _until(lambda: refusals.count > 0, name)
        assert await setups.find(mine) is good, name
        assert (refusals.accounts, refusals.count) == (1, 1), name
        work.cancel()
        setups.stop()
        fresh = _setups(session)
        with pytest.raises(ConfigurationRefused, match=mine):
            await fresh.find(mine)
        fresh.stop()
        with session.reading() as connection:
            assert why_refused(connection, session.signer, mine), name

    for name, statement in ATTACKS.items():
        _run(lambda: scenario(name, statement))  # noqa: B023  # run at once


def test_rows_put_back_with_their_old_signatures_are_refused_by_a_server_that_saw_newer_ones(
    session: AdminSession,
) -> None:
    account = _merchant(session)
    tables = [METADATA.tables[name] for name in ("configuration_heads", "configuration_totals")]
    with session.reading() as connection:
        before = {table: connection.execute(sa.select(table)).all() for table in tables}

    async def scenario() -> None:
        _apply(session, account, "order.amount > 7")
        refusals = Refusals()
        setups = _setups(session, refusals)
        good = await setups.find(account)
        work = asyncio.create_task(setups.run())
        with session.database.writing() as connection:
            for table, rows in before.items():
                connection.execute(table.delete())
                connection.execute(table.insert(), [dict(row._mapping) for row in rows])
        setups.changed()
        await _until(lambda: refusals.count > 0)
        assert await setups.find(account) is good
        work.cancel()
        setups.stop()

    _run(scenario)


def test_one_row_put_back_with_its_old_signature_is_refused_by_every_server(
    session: AdminSession,
) -> None:
    account = _merchant(session)
    heads = METADATA.tables["configuration_heads"]
    with session.reading() as connection:
        before = [dict(row._mapping) for row in connection.execute(sa.select(heads))]
    _apply(session, account, "order.amount > 7")
    with session.database.writing() as connection:
        connection.execute(heads.delete())
        connection.execute(heads.insert(), before)

    async def scenario() -> None:
        setups = _setups(session)
        with pytest.raises(ConfigurationRefused, match="put back"):
            await setups.find(account)
        setups.stop()

    _run(scenario)


def test_what_was_changed_by_others_is_not_signed_by_the_next_change(session: AdminSession) -> None:
    for statement in (ATTACKS["prices"], ATTACKS["the kind of a list"], ATTACKS["a list removed"]):
        account = _merchant(session)
        _attack(session, statement, mine=account)
        with pytest.raises(ConfigurationRefused), session.change() as change:
            accounts.set_fees(change, account, {"SENTRY": 5})
        with pytest.raises(ConfigurationRefused), session.change() as change:
            lists.add(change, account, "blocked-users", None, [PlannedEntry("x", "x")])
        with pytest.raises(ConfigurationRefused):
            _apply(session, account, "ip.tor")
    account = _merchant(session)
    _attack(session, ATTACKS["an entry removed"], mine=account)
    with session.change() as change:
        lists.add(change, account, "bad", None, [PlannedEntry("x", "x")])
    with session.reading() as connection:
        assert "entries of list bad" in (why_refused(connection, session.signer, account) or "")


def test_a_changed_version_is_not_shown_and_a_new_one_puts_things_right(
    session: AdminSession,
) -> None:
    account = _merchant(session)
    _attack(session, ATTACKS["the program of a rule set"], mine=account)
    with pytest.raises(ConfigurationRefused):
        configuration_cases.get(session, account, RULE_SETS, "starter")
    with pytest.raises(ConfigurationRefused):
        configuration_cases.roll_back(session, account, RULE_SETS, "starter", VersionReturn(1))
    _apply(session, account, "order.amount > 9")

    async def scenario() -> int:
        setups = _setups(session)
        try:
            return (await setups.find(account)).rule_sets["starter"].version
        finally:
            setups.stop()

    assert _run(scenario) == 3


def _key(session: AdminSession, account: str) -> tuple[str, str]:
    with session.change() as change:
        issued = keys.issue(change, account, keys.KeyTerms(scopes=("precheck",)))
    hashed = key_hash(issued.text, session.ring.current(keyring.API_KEYS)[1])
    return issued.key.key_id, hashed


@pytest.mark.parametrize("attack", ["prices", "a credit limit"])
def test_changed_prices_are_not_charged_and_the_last_good_ones_are(
    session: AdminSession, attack: str
) -> None:
    account = _merchant(session)
    _, hashed = _key(session, account)

    async def scenario() -> None:
        refusals = Refusals()
        running = CallerDirectory(session.database, session.signer, float, refusals=refusals)
        good = await running.find(hashed)
        assert good is not None
        _attack(session, ATTACKS[attack], mine=account)
        await running.check()
        running._cached.clear()
        found = await running.find(hashed)
        assert found is not None
        assert found.account == good.account
        assert refusals.accounts == 1
        fresh = CallerDirectory(session.database, session.signer, float)
        with pytest.raises(ConfigurationRefused, match="fees"):
            await fresh.find(hashed)
        running.stop()

    _run(scenario)


@pytest.mark.parametrize(
    "values",
    [
        {"scopes": ""},
        {"networks": "0.0.0.0/0"},
        {"expires_at_ms": None},
        {"rate_limit_per_second": 9999},
        {"account_id": "other"},
        {"signature": None},
    ],
)
def test_a_key_that_was_changed_in_the_database_opens_nothing(
    sqlite_session: AdminSession, values: dict[str, Any]
) -> None:
    session = sqlite_session
    account, other = _merchant(session), _merchant(session)
    with session.change() as change:
        terms = keys.KeyTerms(scopes=("precheck",), expires_at_ms=2**40)
        issued = keys.issue(change, account, terms)
    hashed = key_hash(issued.text, session.ring.current(keyring.API_KEYS)[1])
    if "account_id" in values:
        values = {"account_id": other}
    with session.database.writing() as connection:
        table = METADATA.tables["api_keys"]
        connection.execute(table.update().where(table.c.id == issued.key.key_id).values(values))

    async def scenario() -> None:
        refusals = Refusals()
        directory = CallerDirectory(session.database, session.signer, float, refusals=refusals)
        with pytest.raises(ConfigurationRefused):
            await directory.find(hashed)
        assert refusals.accounts == 1

    _run(scenario)


SIGNED = [
    name
    for name, table in METADATA.tables.items()
    if "signature" in table.columns and name != "configuration_totals"
]


def test_columns_that_are_not_signed_are_left_out_on_purpose() -> None:
    left_out = {
        f"{name}.{column.name}"
        for name in SIGNED
        for column in METADATA.tables[name].columns
        if column.name not in {*signed_columns(METADATA.tables[name]).names, "signature"}
    }
    assert left_out == {
        *("accounts.balance", "accounts.held", "accounts.event_filters", "accounts.low_balance"),
        *("accounts.balance_told", "api_keys.last_used_at_ms", "list_entries.removed_at_ms"),
    }


@pytest.mark.parametrize(
    ("table", "empty", "signature"),
    [
        ("accounts", ("credit_limit",), "fd16dd21ced7"),
        ("accounts", ("credit_limit", "closed_reason"), "31c8db9a52b9"),
        ("accounts", ("credit_limit", "closed_at_ms", "closed_reason"), "57b1be1db228"),
        ("api_keys", (), "08725a081e9b"),
        ("api_keys", ("parent",), "695d5e51e44e"),
        ("configurations", (), "e64f8a362e00"),
        ("configuration_heads", (), "24362cfecf85"),
        ("lists", (), "9d7668333032"),
        ("list_entries", (), "eae0570420ee"),
    ],
)
def test_rows_that_were_signed_stay_genuine_in_later_versions(
    table: str, empty: tuple[str, ...], signature: str
) -> None:
    """A column that is added is one more name in `empty` of its table, and nothing else changes."""
    names = signed_columns(METADATA.tables[table]).names
    row = {name: name for name in names if name not in empty}
    assert Signer(b"k" * 32).sign(METADATA.tables[table], row).startswith(signature)


def _forget_signatures(session: AdminSession) -> None:
    """How a database is after it was upgraded from a version without signatures."""
    with session.database.writing() as connection:
        for name in SIGNED:
            connection.execute(METADATA.tables[name].update().values(signature=None))
        connection.execute(METADATA.tables["lists"].update().values(total=None))
        connection.execute(METADATA.tables["configuration_totals"].delete())


def test_what_was_configured_before_signatures_is_refused_until_it_is_signed_once(
    session: AdminSession,
) -> None:
    account = _merchant(session)
    key_id, hashed = _key(session, account)
    _forget_signatures(session)
    with session.reading() as connection:
        assert never_signed(connection) == [account]
        assert "never signed" in (why_refused(connection, session.signer, account) or "")
    with pytest.raises(ConfigurationRefused, match="was never signed"):
        _apply(session, account, "ip.tor")
    with session.change() as change:
        assert sign_as_it_is(change, account) > 10
    with session.reading() as connection:
        assert why_refused(connection, session.signer, account) is None
        assert never_signed(connection) == []
        found = keys.find(connection, hashed, session.signer)
    assert found is not None
    assert found.key_id == key_id
    with session.change() as change:
        assert sign_as_it_is(change, account) == 0
        lists.remove(change, account, "bad", [PlannedEntry("u1", "-")])
    with session.reading() as connection:
        assert why_refused(connection, session.signer, account) is None


def test_a_sandbox_signs_itself_once_and_never_again(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    first, second = _merchant(session), _merchant(session)
    _forget_signatures(session)
    sign_sandbox(session)
    with session.reading() as connection:
        assert why_refused(connection, session.signer, first) is None
    _attack(session, ATTACKS["all signatures removed"], mine=second)
    sign_sandbox(session)
    with session.reading() as connection:
        assert why_refused(connection, session.signer, first) is None
        assert why_refused(connection, session.signer, second) is not None


def test_a_rolled_back_model_is_signed_too(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    account = _merchant(session)
    with session.change() as change:
        models.rollback(change, account, 0)
    with session.change() as change:
        key = ConfigurationKey(account, "rules", "more")
        configurations.apply(change, key, VersionContent("a", "{}"), base=None)
    with session.reading() as connection:
        assert why_refused(connection, session.signer, account) is None
