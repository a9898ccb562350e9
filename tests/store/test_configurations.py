"""Rule sets and pipelines as they are kept: versions, who changed what, on both databases."""

import threading

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.admin.pipelines.use_cases.recorded_answers import load_programs
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.rules.ruleset import decode_program
from gatehouse.rules.starter import STARTER_LISTS
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations, defaults, lists
from gatehouse.store.configured.account_signature import sign_account
from gatehouse.store.configured.configurations import (
    PIPELINE,
    RULES,
    ConfigurationKey,
    StoredVersion,
    Unchanged,
    VersionContent,
    stamp_of,
)
from gatehouse.store.configured.list_plans import PlannedEntry
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATIONS, LISTS


def mine(account: str) -> ConfigurationKey:
    return ConfigurationKey(account, RULES, "mine")


def apply(
    session: AdminSession, account: str, text: str, base: int | None, name: str = "mine"
) -> int:
    with session.change() as change:
        key = ConfigurationKey(account, RULES, name)
        content = VersionContent(text, f"program of {text}")
        return configurations.apply(change, key, content, base=base, note=f"is {text}")


def test_versions_follow_each_other_and_the_last_is_in_force(
    session: AdminSession, account: str
) -> None:
    assert [apply(session, account, text, base) for text, base in (("a", None), ("b", 1))] == [1, 2]
    with session.reading() as connection:
        found = configurations.get(connection, mine(account))
        plain = msgspec.structs.replace(found, account_id="", kind="", signature=None)
        assert plain == StoredVersion(
            "mine", 2, found.created_at_ms, "test", "is b", True, "b", "program of b"
        )
        assert configurations.get(connection, mine(account), 1).document == "a"
        versions = configurations.history(connection, mine(account))
        assert [(v.version, v.actor, v.note, v.active) for v in versions] == [
            (2, "test", "is b", True),
            (1, "test", "is a", False),
        ]
        lines = audit.read(connection, account, 100)
    assert [line.details for line in lines if line.action == "rules.apply"] == [
        {"name": "mine", "version": 1, "base": None, "note": "is a"},
        {"name": "mine", "version": 2, "base": 1, "note": "is b"},
    ]


def test_an_earlier_version_can_be_put_in_force_again(session: AdminSession, account: str) -> None:
    apply(session, account, "a", None)
    apply(session, account, "b", 1)
    with session.change() as change:
        configurations.activate(change, mine(account), 1, base=2)
    with session.reading() as connection:
        assert configurations.get(connection, mine(account)).document == "a"
        active = [v.version for v in configurations.history(connection, mine(account))]
    assert active == [2, 1]
    # What comes next does not take the number of a version that was.
    assert apply(session, account, "c", 1) == 3
    with pytest.raises(NotFound, match="no version 9 of rule set mine"), session.change() as change:
        configurations.activate(change, mine(account), 9, base=3)
    with pytest.raises(Unchanged), session.change() as change:
        configurations.activate(change, mine(account), 3, base=3)


def test_the_version_before_is_the_one_that_was_in_force(
    session: AdminSession, account: str
) -> None:
    def before() -> int:
        with session.reading() as connection:
            return configurations.previous(connection, mine(account))

    with pytest.raises(NotFound, match="no rule set mine"):
        before()
    apply(session, account, "a", None)
    with pytest.raises(Conflict, match="version 1 of rule set mine is the first one"):
        before()
    apply(session, account, "b", 1)
    apply(session, account, "c", 2)
    assert before() == 2
    with session.change() as change:
        configurations.activate(change, mine(account), 1, base=3)
    assert before() == 3
    assert apply(session, account, "d", 1) == 4
    assert before() == 1


def test_what_the_author_has_not_seen_is_not_replaced(session: AdminSession, account: str) -> None:
    apply(session, account, "a", None)
    apply(session, account, "b", 1)
    with pytest.raises(
        Conflict, match=r"is at version 2 \(made by test, in force since 20.*you saw"
    ):
        apply(session, account, "c", 1)
    with pytest.raises(Conflict, match="that there was none"):
        apply(session, account, "c", None)
    with pytest.raises(Conflict, match="has no version 4"):
        apply(session, account, "c", 4, name="other")
    with pytest.raises(Conflict, match="version 2"), session.change() as change:
        configurations.activate(change, mine(account), 1, base=1)
    with session.reading() as connection:
        assert configurations.get(connection, mine(account)).version == 2


def test_applying_what_is_in_force_changes_nothing(session: AdminSession, account: str) -> None:
    apply(session, account, "a", None)
    with session.reading() as connection:
        before = stamp_of(connection, account)
        lines = len(audit.read(connection, account, 100))
    for base in (1, None, 7):
        with pytest.raises(Unchanged, match="nothing changed since version 1"):
            apply(session, account, "a", base)
    with session.reading() as connection:
        assert stamp_of(connection, account) == before
        assert len(audit.read(connection, account, 100)) == lines


def test_of_two_who_apply_at_once_one_is_told_of_the_other(
    session: AdminSession, account: str
) -> None:
    apply(session, account, "a", None)
    ends: list[object] = []

    def run(text: str) -> None:
        try:
            ends.append(apply(session, account, text, 1))
        except Conflict as conflict:
            ends.append(str(conflict))

    threads = [threading.Thread(target=run, args=(text,)) for text in "bcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends.count(2) == 1
    assert sum("is at version 2" in str(end) for end in ends) == 2


def test_an_account_sees_only_its_own(session: AdminSession, account: str) -> None:
    apply(session, account, "a", None)
    with session.change() as change:
        other = accounts.create(change, "Other", "USD").account_id
    with session.reading() as connection:
        assert configurations.names(connection, account, RULES) == ["mine", "starter"]
        assert configurations.names(connection, other, RULES) == ["starter"]
        with pytest.raises(NotFound, match="no rule set mine"):
            configurations.get(connection, mine(other))
        with pytest.raises(NotFound, match="no pipeline mine"):
            configurations.history(connection, ConfigurationKey(account, PIPELINE, "mine"))
        with pytest.raises(NotFound, match="no version 99999999999"):
            configurations.get(connection, mine(account), 99999999999)


def test_the_stamp_changes_with_everything_that_servers_must_load(
    session: AdminSession, account: str
) -> None:
    stamps = []

    def note() -> None:
        with session.reading() as connection:
            stamps.append(stamp_of(connection, account))

    note()
    apply(session, account, "a", None)
    note()
    apply(session, account, "b", 1)
    note()
    with session.change() as change:
        configurations.activate(change, mine(account), 1, base=2)
    note()
    with session.change() as change:
        lists.add(change, account, "blocked-users", None, [PlannedEntry("u", "u")])
    note()
    with session.change() as change:
        lists.drop(change, account, "blocked-users")
    note()
    assert len(set(stamps)) == len(stamps)
    with session.reading() as connection:
        assert stamp_of(connection, "acct_none") == "0:0:0/0:0:0"


def test_a_new_account_has_rules_pipelines_and_empty_lists(
    session: AdminSession, account: str
) -> None:
    with session.reading() as connection:
        [starter] = configurations.active(connection, account, RULES)
        pipelines = configurations.active(connection, account, PIPELINE)
        lists = {
            row.name: row.kind
            for row in connection.execute(sa.select(LISTS).where(LISTS.c.account_id == account))
        }
        created = audit.read(connection, account, 100)[0]
    rules = decode_program(starter.program).rules
    assert (starter.name, starter.version) == ("starter", 1)
    assert [(kept.name, kept.version) for kept in pipelines] == [("1", 1), ("2", 1)]
    assert lists == {each.name: each.kind for each in STARTER_LISTS}
    assert {name for rule in rules for _, name in rule.condition.lists} == set(lists)
    assert "pipeline 1" in created.details["furnished"]


def test_an_account_of_before_is_furnished_once(session: AdminSession, account: str) -> None:
    with session.change() as change:
        for table in (CONFIGURATIONS, CONFIGURATION_HEADS, LISTS):
            change.connection.execute(table.delete().where(table.c.account_id == account))
        sign_account(change, account)
        change.audit("test")
    apply(session, account, "a", None)
    with session.change() as change:
        # It has rules of its own; only what is missing is given.
        assert defaults.seed_defaults(change, account) == ["pipeline 1", "pipeline 2"]
    with session.change() as change:
        assert defaults.seed_defaults(change, account) == []
        change.audit("test")
    with session.reading() as connection:
        assert configurations.names(connection, account, RULES) == ["mine"]
        last = [line for line in audit.read(connection, account, 100) if "furnish" in line.action]
    assert [line.details for line in last] == [{"made": ["pipeline 1", "pipeline 2"]}]


def test_notes_are_bounded_and_hold_no_card_number(session: AdminSession, account: str) -> None:
    def noted(note: str) -> str | None:
        with session.change() as change:
            key = ConfigurationKey(account, RULES, f"n{len(note)}")
            configurations.apply(change, key, VersionContent("a", "b"), base=None, note=note)
            versions = configurations.history(change.connection, key)
        return versions[0].note

    assert noted("for 4242424242424242\x00") == "for [card]\ufffd"
    assert noted("  ") is None
    with pytest.raises(InvalidInput, match="at most 200"):
        noted("x" * 201)


def test_an_account_cannot_have_any_number_of_them(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configurations, "MOST_NAMES", 2)
    apply(session, account, "a", None)
    with pytest.raises(InvalidInput, match="at most 2"):
        apply(session, account, "a", None, name="one-more")
    assert apply(session, account, "b", 1) == 2


def test_pipelines_are_listed_by_number(session: AdminSession, account: str) -> None:
    with session.change() as change:
        for number in ("10", "3"):
            key = ConfigurationKey(account, PIPELINE, number)
            configurations.apply(change, key, VersionContent("a", "b"), base=None)
    with session.reading() as connection:
        assert configurations.names(connection, account, PIPELINE) == ["1", "2", "3", "10"]
        found = configurations.active(connection, account, PIPELINE)
    assert [kept.name for kept in found] == ["1", "2", "3", "10"]


def ran(name: str, version: int) -> DecisionRecord:
    """The record of a request for which a version of a rule set ran."""
    stage = RecordedStage("rules", "RULES", 0, True, 0, {"ruleSet": name, "version": version})
    return DecisionRecord("req_1", "rules", "2026-01-01T00:00:00Z", None, None, [stage], 0, 0)


def test_the_program_that_decided_is_read_at_once_and_only_as_it_was_stored(
    session: AdminSession, account: str
) -> None:
    for name, base in (("mine", None), ("mine", 1), ("changed", None)):
        apply(session, account, f"{name}{base}", base, name)
    with session.database.writing() as connection:
        changed = CONFIGURATIONS.update().where(CONFIGURATIONS.c.name == "changed")
        connection.execute(changed.values(program="of somebody else"))
    asked: list[str] = []

    def look(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    wanted = [("mine", 1), ("mine", 2), ("changed", 1), ("mine", 3), ("mine", 2**40)]
    with session.reading() as connection:
        sa.event.listen(session.database.engine, "before_cursor_execute", look)
        records = [ran(*each) for each in wanted]
        found = load_programs(session.signer, connection, account, records)
    assert found == {("mine", 1): "program of mineNone", ("mine", 2): "program of mine1"}
    # The last one cannot be there.
    assert len(asked) == len(wanted) - 1
