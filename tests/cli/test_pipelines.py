"""gatehouse pipelines: what an author sees from the first check to the way back."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gatehouse.admin.pipelines.command import app
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import defaults, lists
from tests.harness import Done, Home
from tests.harness.invoking import finished

ACCOUNT = "acct_shop"
FILE = "pipeline: {number}\nname: Quick\nstages:\n  - stage: Rules\n    rule_set: starter\n"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdminSession]:
    """One account with what every new one has; each test uses a pipeline number of its own."""
    home = Home(tmp_path_factory.mktemp("pipelines") / "home").migrated()
    with home.current(), home.session() as session:
        with session.change() as change:
            accounts.create(change, "Shop", "EUR", ACCOUNT)
            defaults.seed_defaults(change, ACCOUNT)
        yield session


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Writes a pipeline file and returns its path."""

    def written(text: str) -> str:
        path = tmp_path / "pipeline.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


run = functools.partial(finished, app)


def ok(*arguments: str, given: str = "") -> Done:
    done = run(*arguments, given=given)
    assert done.code == 0, done.err
    return done


def test_a_good_file_is_told_in_one_line_and_changes_nothing(
    session: AdminSession, write: Any
) -> None:
    done = ok("check", write(FILE.format(number=50)))
    assert done.out == "pipeline 50 (Quick) is well-formed: Rules (starter)\n"
    assert run("show", "50", "--account", ACCOUNT).code == 3


def test_a_bad_file_is_refused_whole_with_all_mistakes_and_their_places(write: Any) -> None:
    done = run("check", write("pipeline: 1\nstages:\n  - stage: Sentri\n    fee: -1\n"))
    assert done.code == 4
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == [
        "line 1, column 1",
        "line 3, column 12",
        "line 4, column 10",
    ]
    assert "did you mean Sentry?" in done.err


def test_a_file_can_come_through_a_pipe() -> None:
    assert ok("check", "-", "--json", given=FILE.format(number=51)).json["valid"] is True


@pytest.mark.parametrize("path", ["/nowhere/at/all.yaml", "/", "a\0b"])
def test_a_file_that_cannot_be_read_is_a_clear_refusal(path: str) -> None:
    done = run("check", path)
    assert done.code == 4
    assert done.err.startswith("cannot read ")
    assert done.err.isprintable()


def test_a_file_is_never_read_beyond_what_a_document_may_have(write: Any) -> None:
    done = run("check", write("#" * 400_000))
    assert done.code == 4
    assert "larger than" in done.err


def test_a_pipeline_in_which_nothing_decides_is_warned_about(write: Any) -> None:
    done = ok("check", write("pipeline: 1\nname: Score\nstages: [{stage: Sentry}]\n"))
    assert "always decides ACCEPT" in done.err


def test_applying_tells_what_changed_and_again_that_nothing_did(
    session: AdminSession, write: Any
) -> None:
    first = ok("apply", write(FILE.format(number=60)), "--account", ACCOUNT)
    assert "pipeline 60 is now at version 1" in first.out
    assert "+ stage 1: Rules (starter)" in first.out
    more = write(FILE.format(number=60) + "  - {stage: PreCheck, fee: 0.02}\n")
    second = ok("apply", more, "--account", ACCOUNT, "--note", "ask the issuer", "--json").json
    assert second["version"] == 2
    assert second["differences"] == ["+ stage 2: PreCheck"]
    again = ok("apply", more, "--account", ACCOUNT)
    assert again.out == "pipeline 60 is unchanged, at version 2\n"
    versions = ok("history", "60", "--account", ACCOUNT, "--json").json
    assert [(v["version"], v["note"], v["active"]) for v in versions] == [
        (2, "ask the issuer", True),
        (1, None, False),
    ]


def test_the_way_back_is_a_rollback_and_leaves_a_trace(session: AdminSession, write: Any) -> None:
    ok("apply", write(FILE.format(number=61)), "--account", ACCOUNT)
    first = run("rollback", "61", "--account", ACCOUNT)
    assert first.code == 4
    assert "first one" in first.err
    ok("apply", write(FILE.format(number=61) + "  - stage: Sentry\n"), "--account", ACCOUNT)
    back = ok("rollback", "61", "--account", ACCOUNT)
    assert back.out == "pipeline 61 is back at version 1\n- stage 2: Sentry\n"
    forth = ok("rollback", "61", "--to", "2", "--account", ACCOUNT, "--json").json
    assert (forth["version"], forth["before"]) == (2, 1)
    assert run("rollback", "61", "--to", "9", "--account", ACCOUNT).code == 3
    with session.reading() as connection:
        lines = audit.read(connection, ACCOUNT, 1000)
    ours = [line for line in lines if line.details.get("name") == "61"]
    assert sorted(line.action for line in ours) == [
        "pipeline.activate",
        "pipeline.activate",
        "pipeline.apply",
        "pipeline.apply",
    ]


def test_the_way_back_leads_to_what_was_in_force_not_to_the_number_before(
    session: AdminSession, write: Any
) -> None:
    for extra in ("", "  - stage: Sentry\n", "  - stage: PreCheck\n"):
        ok("apply", write(FILE.format(number=66) + extra), "--account", ACCOUNT)
    ok("rollback", "66", "--to", "1", "--account", ACCOUNT)
    back = ok("rollback", "66", "--account", ACCOUNT, "--json").json
    assert (back["before"], back["version"]) == (1, 3)
    assert run("rollback", "66", "--to", "0", "--account", ACCOUNT).code == 3


def test_a_list_that_is_dropped_at_the_last_moment_is_missed(
    session: AdminSession, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = FILE.format(number=67) + "    skip_when: user.id IN LIST('friends')\n"
    with session.change() as change:
        lists.create(change, ACCOUNT, "friends", ListKind.USERS)
    ok("apply", write(asking), "--account", ACCOUNT)
    ok("apply", write(FILE.format(number=67)), "--account", ACCOUNT)
    change_of = AdminSession.change

    def dropped_before(of_command: AdminSession, **how: bool) -> Any:
        # Another session drops the list after what the command read outside its change.
        if of_command is not session:
            with session.change() as change:
                lists.drop(change, ACCOUNT, "friends")
        return change_of(of_command, **how)

    monkeypatch.setattr(AdminSession, "change", dropped_before)
    late = run("apply", write(asking + "# again\n"), "--account", ACCOUNT)
    assert (late.code, "there is no list friends" in late.err) == (4, True)
    with session.change() as change:
        lists.create(change, ACCOUNT, "friends", ListKind.USERS)
    back = run("rollback", "67", "--account", ACCOUNT)
    assert (back.code, "there is no list friends" in back.err) == (4, True)
    assert ok("show", "67", "--account", ACCOUNT, "--json").json["version"] == 2


def test_a_change_on_top_of_another_s_is_refused(session: AdminSession, write: Any) -> None:
    ok("apply", write(FILE.format(number=62)), "--account", ACCOUNT)
    mine = write(FILE.format(number=62) + "  - stage: Sentry\n")
    ok("apply", mine, "--base", "1", "--account", ACCOUNT)
    late = run(
        *("apply", write(FILE.format(number=62) + "  - stage: PreCheck\n")),
        *("--base", "1", "--account", ACCOUNT),
    )
    assert late.code == 4
    assert "version 2" in late.err
    assert ok("show", "62", "--account", ACCOUNT, "--json").json["version"] == 2


def test_a_rule_set_that_the_account_does_not_have_is_refused_where_it_is_named(
    session: AdminSession, write: Any
) -> None:
    file = write(FILE.format(number=63).replace("rule_set: starter", "rule_set: startr"))
    ok("check", file)
    done = run("apply", file, "--account", ACCOUNT)
    assert done.code == 4
    assert done.err.startswith("line 5, column 15: stages[0].rule_set: ")
    assert "did you mean starter?" in done.err


def test_rules_that_cannot_know_what_they_speak_of_are_one_line_of_warning(
    session: AdminSession, write: Any
) -> None:
    stages = FILE.format(number=64)
    early = ok("apply", write(stages + "  - stage: Sentry\n"), "--account", ACCOUNT)
    [warning] = early.err.splitlines()
    assert warning.startswith("gatehouse: warning: stage 1, Rules (starter): ")
    assert "IdVerify" in warning
    assert "Sentry" not in warning
    whole = stages + "  - stage: Sentry\n  - stage: IdVerify\n"
    assert ok("apply", write(whole), "--account", ACCOUNT, "--json").json["warnings"] == []


def test_showing_tells_every_stage_and_what_a_caller_must_send(session: AdminSession) -> None:
    text = ok("show", "2", "--account", ACCOUNT).out
    order = [f"{n}. {stage}" for n, stage in enumerate(
        ("Sentry", "Rules", "PreCheck", "IdVerify", "Gateway"), start=1
    )]  # fmt: skip
    assert [line for line in text.splitlines() if line in order] == order
    assert "rule_set    starter" in text
    assert "fee         0.05 EUR" in text
    assert "stop_when   precheck.advice <> 'ACCEPT'" in text
    assert "on_failure  STOP" in text
    assert "preCheckRequest, for PreCheck and Gateway" in text
    assert "an amount and a currency" in text
    data = ok("show", "2", "--account", ACCOUNT, "--json").json
    assert data["needs"] == {
        "preCheckRequest": ["PreCheck", "Gateway"],
        "idVerifyRequest": ["IdVerify"],
        "payment": ["Gateway"],
    }
    assert [fee["amount"] for fee in data["fees"]] == [0.02, 0.01, 0.05, 0.1, 0.03]
    assert {fee["currency"] for fee in data["fees"]} == {"EUR"}


def test_the_file_comes_back_as_it_was_written(session: AdminSession) -> None:
    [(_, document, _), _] = starter_pipelines()
    assert ok("show", "1", "--document", "--account", ACCOUNT).out == document


def test_an_earlier_version_can_still_be_looked_at(session: AdminSession, write: Any) -> None:
    for extra in ("", "  - {stage: Sentry, fee: 0.5}\n"):
        ok("apply", write(FILE.format(number=65) + extra), "--account", ACCOUNT)
    assert "set here" in ok("show", "65", "--account", ACCOUNT).out
    earlier = ok("show", "65", "--version", "1", "--account", ACCOUNT).out
    assert "version 1, not in force" in earlier
    assert "Sentry" not in earlier


def test_all_pipelines_are_listed_in_order_of_their_numbers(session: AdminSession) -> None:
    found = ok("list", "--account", ACCOUNT, "--json").json
    numbers = [each["pipeline"] for each in found]
    assert numbers[:2] == [1, 2]
    assert numbers == sorted(numbers)
    assert "Sentry, Rules (starter), PreCheck" in ok("list", "--account", ACCOUNT).out


@pytest.mark.parametrize(
    "command", [["list"], ["show", "1"], ["history", "1"], ["rollback", "1"], ["apply", "-"]]
)
def test_an_account_that_is_not_there_is_not_found(
    session: AdminSession, command: list[str]
) -> None:
    done = run(*command, "--account", "acct_nobody", given=FILE.format(number=1))
    assert done.code == 3
    assert done.out == ""
