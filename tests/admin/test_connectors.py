"""The connectors of an installation as use cases of its operator."""

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.audit.use_cases import lines
from gatehouse.admin.backup.use_cases.data_proof import prove_data
from gatehouse.admin.configurations.use_cases.configurations import AppliedVersion, NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.secrets.use_cases.secrets import refused_configurations, sign_connectors
from gatehouse.cli.hints import hinted
from gatehouse.connectors.definition import Function
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.errors import ConfigurationRefused, Conflict, InvalidInput, NotFound
from gatehouse.core.wording.sentences import said_by
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATIONS
from tests.harness import make_account

FIRST = b"""\
connectors:
  here: {kind: sandbox}
routes:
  precheck:
    - use: [here]
"""
SECOND = (
    FIRST.replace(b"{kind: sandbox}", b"{kind: sandbox, in_flight: 7}")
    + b"  gateway: [{use: [here]}]\n"
)


def no_files(name: str) -> bytes:
    raise InvalidInput(f"there is no {name}")


def apply(session: AdminSession, content: bytes, base: int | None = None) -> AppliedVersion:
    return connectors.apply(session, load_settings({}), NewVersion(content, base), no_files)


def test_a_file_becomes_a_version_in_force(session: AdminSession) -> None:
    applied = apply(session, FIRST)
    assert (applied.version, applied.changed, applied.warnings) == (1, True, [])
    assert "+ connector here: sandbox" in applied.differences
    assert "+ precheck route 1: any card -> here" in applied.differences
    found = connectors.get(session)
    assert (found.version, found.in_force, found.document) == (1, True, FIRST.decode())
    assert list(found.configuration.routes) == [Function.PRECHECK]


def test_versions_are_kept_and_can_be_gone_back_to(session: AdminSession) -> None:
    apply(session, FIRST)
    assert not apply(session, FIRST).changed
    assert apply(session, SECOND).differences == [
        "~ connector here.in_flight: 200 -> 7",
        "+ gateway route 1: any card -> here",
    ]
    assert [(each.version, each.active) for each in connectors.history(session)] == [
        (2, True),
        (1, False),
    ]
    back = connectors.rollback(session)
    assert (back.version, back.before) == (1, 2)
    assert "~ connector here.in_flight: 7 -> 200" in back.differences
    assert connectors.get(session).document == FIRST.decode()
    assert connectors.get(session, 2).configuration.connectors["here"].in_flight == 7


def test_nobody_overwrites_what_they_have_not_seen(session: AdminSession) -> None:
    apply(session, FIRST)
    apply(session, SECOND, base=1)
    with pytest.raises(Conflict, match=r"at version 2 .* look at it, then"):
        apply(session, FIRST, base=1)
    with pytest.raises(Conflict, match="you saw version 1"):
        connectors.rollback(session, to=1, base=1)


def test_every_change_leaves_a_line_in_the_audit_log(sqlite_session: AdminSession) -> None:
    apply(sqlite_session, FIRST)
    apply(sqlite_session, SECOND)
    connectors.rollback(sqlite_session)
    found = [(line.action, line.account_id) for line in lines(sqlite_session, None, 3)]
    assert found == [
        ("connectors.apply", None),
        ("connectors.apply", None),
        ("connectors.activate", None),
    ]


def test_only_the_operator_may_see_or_change_them(sqlite_session: AdminSession) -> None:
    apply(sqlite_session, FIRST)
    account_id = make_account(sqlite_session)
    merchant = sqlite_session.acting_as(Actor.key("key_1", account_id))
    for use_case in (connectors.get, connectors.find, connectors.history, connectors.rollback):
        with pytest.raises(NotFound):
            use_case(merchant)
    with pytest.raises(NotFound):
        apply(merchant, SECOND)


def test_a_file_with_mistakes_changes_nothing(sqlite_session: AdminSession) -> None:
    with pytest.raises(DocumentRefused, match="line 2"):
        apply(sqlite_session, FIRST.replace(b"sandbox", b"sandbocks"))
    assert connectors.find(sqlite_session) is None
    with pytest.raises(NotFound, match="no connectors are configured yet"):
        connectors.get(sqlite_session)


def test_a_route_of_an_unknown_account_is_warned_about(sqlite_session: AdminSession) -> None:
    account_id = make_account(sqlite_session)
    routes = f"    - {{accounts: [{account_id}, acct_gone], use: [here]}}\n    - use: [here]\n"
    content = FIRST.replace(b"    - use: [here]\n", routes.encode())
    assert apply(sqlite_session, content).warnings == [
        "routes.precheck: there is no account acct_gone"
    ]


def test_an_unknown_connector_is_told_with_those_there_are(sqlite_session: AdminSession) -> None:
    apply(sqlite_session, FIRST)
    with pytest.raises(NotFound, match="no connector there; there are here"):
        connectors.connector(sqlite_session, "there")
    with pytest.raises(NotFound, match="there is no version 9"):
        connectors.get(sqlite_session, 9)


def test_what_was_changed_in_the_database_is_refused(session: AdminSession) -> None:
    apply(session, FIRST)
    prove_data(session)
    with session.database.writing() as connection:
        connection.execute(CONFIGURATIONS.update().values(program='{"connectors":{},"routes":{}}'))
    with pytest.raises(ConfigurationRefused, match="version 1 of connectors was changed"):
        connectors.get(session)
    with pytest.raises(Conflict) as refused:
        prove_data(session)
    assert hinted(said_by(refused.value)).endswith("sign-configuration --connectors")
    sign_connectors(session)
    assert refused_configurations(session) == {}
    assert connectors.get(session).configuration.connectors == {}


def test_a_version_cannot_be_put_in_force_in_the_database(session: AdminSession) -> None:
    apply(session, FIRST)
    apply(session, SECOND)
    with session.database.writing() as connection:
        connection.execute(CONFIGURATION_HEADS.update().values(version=1))
    with pytest.raises(ConfigurationRefused, match="configuration of connectors was changed"):
        connectors.get(session)
    with pytest.raises(ConfigurationRefused):
        apply(session, FIRST)


def test_a_removed_configuration_is_noticed(session: AdminSession) -> None:
    apply(session, FIRST)
    with session.database.writing() as connection:
        connection.execute(sa.delete(CONFIGURATION_HEADS))
    assert refused_configurations(session)
