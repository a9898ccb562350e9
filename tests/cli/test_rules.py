"""The commands about rule sets, run in this process."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts import command as accounts_commands
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.admin.rule_sets.command import rules as commands
from gatehouse.core.clock import iso_time
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.operations.installation import open_admin_session
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.starter import starter_document
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import lists
from gatehouse.store.configured.account_signature import sign_account
from gatehouse.store.configured.list_plans import PlannedEntry
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATIONS, DECISIONS, LISTS
from tests.backtest.material import record as made_record
from tests.backtest.material import stage
from tests.harness import Home
from tests.harness.invoking import worded

ONE = """\
rule_set: mine
rules:
  - {name: much, condition: order.amount > 100, outcome: REVIEW}
"""
TWO = ONE.replace("100", "200") + "  - {name: tor, condition: ip.tor, outcome: DENY}\n"
TRIED = """\
rule_set: mine
inputs: {plan: text}
rules:
  - {name: gold, condition: custom.plan = 'gold', outcome: ACCEPT, final: true}
  - {name: much, condition: order.amount > 100 AND ip.country <> 'NO', outcome: REVIEW}
  - {name: busy, condition: velocity.card.count_1h > 3, outcome: DECLINE}
  - {name: seen, condition: order.amount > 1, outcome: DECLINE, shadow: true}
  - {name: listed, condition: user.id IN LIST('blocked-users'), outcome: DECLINE}
"""


class Terminal:
    """Runs commands on a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = 0

    def run(self, *arguments: str, app: typer.Typer = commands.app, text: str = "") -> Result:
        return CliRunner().invoke(app, arguments, input=text or None)

    def ok(self, *arguments: str, app: typer.Typer = commands.app, text: str = "") -> str:
        done = self.run(*arguments, app=app, text=text)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    def json(self, *arguments: str, app: typer.Typer = commands.app) -> Any:
        return json.loads(self.ok(*arguments, "--json", app=app))

    def refused(self, *arguments: str) -> GatehouseError:
        done = self.run(*arguments)
        assert isinstance(done.exception, GatehouseError), (done.output, done.exception)
        return worded(done.exception)

    def file(self, content: str | bytes) -> str:
        self._file += 1
        path = self.folder / f"{self._file}.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)


@pytest.fixture
def terminal(tmp_path: Path, empty_sqlite_home: Home) -> Iterator[Terminal]:
    with empty_sqlite_home.current():
        yield Terminal(tmp_path)


def opened(terminal: Terminal) -> AdminSession:
    settings = load_settings(Home(terminal.folder / "home").environ())
    return open_admin_session(settings, Actor.system("test"))


def test_check_needs_no_account_and_no_data(terminal: Terminal) -> None:
    assert "mine is well-formed: 1 rules" in terminal.ok("check", terminal.file(ONE))
    assert "well-formed" in terminal.ok("check", "-", text=TRIED)
    assert not (terminal.folder / "home").exists()
    told = terminal.json("check", terminal.file(TRIED))
    assert told["valid"]
    assert told["lists"] == ["blocked-users"]
    assert "velocity.card.count_1h" in told["signals"]


def test_check_tells_every_flaw(terminal: Terminal) -> None:
    file = terminal.file(TWO.replace("ip.tor", "ip.torr").replace("REVIEW", "LOOK"))
    refused = terminal.refused("check", file)
    assert isinstance(refused, DocumentRefused)
    assert [flaw.path for flaw in refused.flaws] == ["rules[0].outcome", "rules[1].condition"]
    done = terminal.run("check", file, "--json")
    assert done.exit_code == 4
    flaws = json.loads(done.stdout)["flaws"]
    assert [(flaw["line"], flaw["path"]) for flaw in flaws] == [
        (3, "rules[0].outcome"),
        (4, "rules[1].condition"),
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"x" * 10_000_000, "larger than 256 KiB"),
        (bytes(range(256)), "not UTF-8"),
        (b"rule_set:\n\tx", "tab"),
    ],
)
def test_rubbish_is_refused(terminal: Terminal, content: bytes, says: str) -> None:
    assert says in str(terminal.refused("check", terminal.file(content)))
    assert "cannot read" in str(terminal.refused("check", str(terminal.folder / "none.yaml")))
    assert "cannot read" in str(terminal.refused("check", "a\x00b"))


def test_a_file_is_applied_shown_changed_and_taken_back(terminal: Terminal) -> None:
    one, two = terminal.file(ONE), terminal.file(TWO)
    assert terminal.ok("apply", one, "--note", "first").splitlines() == [
        "rule set mine is now at version 1",
        "+ much: REVIEW when order.amount > 100",
    ]
    told = terminal.json("apply", two)
    assert (told["accountId"], told["version"], told["changed"]) == (DEMO_ACCOUNT, 2, True)
    assert told["differences"] == [
        "~ much: condition: order.amount > 100 -> order.amount > 200",
        "+ tor: DECLINE when ip.tor",
    ]
    assert terminal.ok("apply", two) == "rule set mine is unchanged, at version 2\n"
    assert not terminal.json("apply", two)["changed"]
    assert "only its layout" in terminal.ok("apply", terminal.file(TWO + "# remark\n"))
    assert terminal.ok("show", "mine", "--version", "2") == TWO
    assert "- tor" in terminal.ok("rollback", "mine", "--to", "1")
    assert terminal.ok("show", "mine") == ONE
    shown = terminal.json("show", "mine", "--version", "3")
    assert (shown["active"], shown["document"]) == (False, TWO + "# remark\n")
    assert [rule["name"] for rule in shown["rules"]] == ["much", "tor"]
    history = terminal.json("history", "mine")
    assert [(each["version"], each["active"]) for each in history] == [
        (3, False),
        (2, False),
        (1, True),
    ]
    assert history[-1]["note"] == "first"
    assert "in force" in terminal.ok("history", "mine")
    listed = terminal.json("list")
    assert [(each["ruleSet"], each["version"]) for each in listed] == [("mine", 1), ("starter", 1)]
    assert "RULE SET" in terminal.ok("list")
    assert "first one" in str(terminal.refused("rollback", "starter"))
    assert isinstance(terminal.refused("rollback", "mine", "--to", "9"), NotFound)
    assert isinstance(terminal.refused("rollback", "mine", "--to", "1"), Conflict)
    assert isinstance(terminal.refused("history", "none"), NotFound)
    assert "mine, starter" in str(terminal.refused("show"))


def test_the_way_back_leads_to_what_was_in_force_not_to_the_number_before(
    terminal: Terminal,
) -> None:
    for content in (ONE, TWO, TWO + "# remark\n"):
        terminal.ok("apply", terminal.file(content))
    terminal.ok("rollback", "mine", "--to", "1")
    back = terminal.json("rollback", "mine")
    assert (back["before"], back["version"]) == (1, 3)
    assert terminal.ok("show", "mine") == TWO + "# remark\n"
    assert isinstance(terminal.refused("rollback", "mine", "--to", "0"), NotFound)


def test_a_list_that_is_dropped_at_the_last_moment_is_missed(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.ok("apply", terminal.file(TRIED))
    terminal.ok("apply", terminal.file(ONE))
    change_of, other = AdminSession.change, opened(terminal)

    def dropped_before(session: AdminSession, **how: bool) -> Any:
        # Another session drops the list after what the command read outside its change.
        if session is not other:
            with other.change() as change:
                lists.drop(change, DEMO_ACCOUNT, "blocked-users")
        return change_of(session, **how)

    monkeypatch.setattr(AdminSession, "change", dropped_before)
    late = terminal.refused("apply", terminal.file(TRIED + "# again\n"))
    assert "there is no list blocked-users" in str(late)
    with other.change() as change:
        lists.create(change, DEMO_ACCOUNT, "blocked-users", ListKind.USERS)
    assert "there is no list blocked-users" in str(terminal.refused("rollback", "mine"))
    assert [each["active"] for each in terminal.json("history", "mine")] == [True, False]


def test_what_was_applied_meanwhile_is_not_overwritten(terminal: Terminal) -> None:
    terminal.ok("apply", terminal.file(ONE))
    terminal.ok("apply", terminal.file(TWO), "--base", "1")
    conflict = terminal.refused("apply", terminal.file(ONE), "--base", "1")
    assert isinstance(conflict, Conflict)
    assert "is at version 2 (made by cli:" in str(conflict)


def test_a_list_that_is_not_there_is_a_mistake(terminal: Terminal) -> None:
    rule = "{{name: a, condition: {}, outcome: DECLINE}}"
    missing = rule.format("user.id IN LIST('nobody')")
    unfit = rule.format("user.id IN LIST('blocked-cards')")
    for text, says in ((missing, "lists create nobody --kind users"), (unfit, "holds cards")):
        file = terminal.file(f"rule_set: mine\nrules: [{text}]")
        terminal.ok("check", file)
        refused = terminal.refused("apply", file)
        assert isinstance(refused, InvalidInput)
        assert says in str(refused)
    assert [each["ruleSet"] for each in terminal.json("list")] == ["starter"]


def test_the_starter_can_be_taken_out_and_put_back(terminal: Terminal) -> None:
    assert terminal.ok("show") == starter_document()
    assert not terminal.json("apply", terminal.file(terminal.ok("show")))["changed"]


def test_a_case_shows_which_rules_match_and_what_they_saw(terminal: Terminal) -> None:
    file = terminal.file(TRIED)
    signals = {"order.amount": 150, "ip.country": "SE", "custom.plan": "silver"}
    case = terminal.file(json.dumps({"signals": signals}))
    told = terminal.json("test", file, "--case", case)
    assert (told["status"], told["finalBy"]) == ("REVIEW", None)
    by_name = {rule["name"]: rule for rule in told["rules"]}
    assert [name for name, rule in by_name.items() if rule["matches"]] == ["much", "seen"]
    assert by_name["much"]["signals"] == {"order.amount": 150, "ip.country": "SE"}
    assert by_name["busy"]["signals"] == {"velocity.card.count_1h": None}
    assert by_name["listed"]["lists"] == [
        {"signal": "user.id", "list": "blocked-users", "listed": None}
    ]
    text = terminal.ok("test", file, "--case", case)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines == [
        "REVIEW",
        "",
        "RULE MATCHES OUTCOME LOOKED AT",
        "much yes REVIEW order.amount = 150, ip.country = 'SE'",
        "seen yes DECLINE (shadow) order.amount = 150",
    ]
    everything = terminal.ok("test", file, "--case", case, "--all")
    assert "velocity.card.count_1h = NULL" in everything
    assert "ACCEPT (final)" in everything


def test_a_case_with_velocity_and_a_final_rule(terminal: Terminal) -> None:
    file = terminal.file(TRIED)
    signals = {"velocity.card.count_1h": 4, "velocity.card.count_1m": None, "custom.plan": "gold"}
    told = terminal.json("test", file, "--case", terminal.file(json.dumps({"signals": signals})))
    assert (told["status"], told["finalBy"]) == ("ACCEPT", "gold")
    assert [rule["name"] for rule in told["rules"] if rule["matches"]] == ["gold", "busy"]
    nothing = terminal.ok("test", file, "--case", terminal.file('{"signals": {}}'))
    assert nothing == "ACCEPT, no rule matches\n"


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("{", "not JSON"),
        ("[]", "no signals"),
        ('{"signals": 1}', "no signals"),
        ('{"signals": {"order.amuont": 1, "ip.tor": 1}}', "did you mean order.amount?"),
        ('{"signals": {"order.amuont": 1, "ip.tor": 1}}', "ip.tor must be a boolean"),
        ('{"signals": {"order.amount": 1e300}}', "order.amount must be a number"),
        ('{"signals": {"custom.other": 1}}', "no signal custom.other"),
        ('{"signals": {}, "stages": [{"name": 1}]}', "not a decision record"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_case_that_cannot_be_is_refused(terminal: Terminal, case: str, says: str) -> None:
    refused = terminal.refused("test", terminal.file(TRIED), "--case", terminal.file(case))
    assert isinstance(refused, InvalidInput)
    assert says in str(refused)


def test_a_recorded_request_is_a_case(terminal: Terminal) -> None:
    terminal.ok("list")
    record = made_record(
        signals={"order.amount": 150, "ip.country": "SE", "velocity.card": [0, 9]},
        stages=[stage("Sentry", {"requestConfidence": 0.2, "ipScore": 0.5, "reasons": {}})],
    )
    session = opened(terminal)
    with session.change() as change:
        row = {
            "account_id": DEMO_ACCOUNT,
            "request_id": "req_1",
            "at_ms": 1,
            "operation": "pipeline",
        }
        change.connection.execute(DECISIONS.insert(), {**row, "record": json.dumps(record)})
        change.audit("test")
    file = terminal.file(
        TRIED + "  - {name: low, condition: sentry.requestConfidence < 0.4, outcome: REVIEW}\n"
    )
    by_id = terminal.json("test", file, "--request", "req_1")
    answer = terminal.file(json.dumps({"isSuccess": True, "decisionResponse": record}))
    assert terminal.json("test", file, "--case", answer) == by_id
    matching = [rule["name"] for rule in by_id["rules"] if rule["matches"]]
    assert matching == ["much", "busy", "seen", "low"]
    assert isinstance(terminal.refused("test", file, "--request", "req_2"), NotFound)
    assert "give one case" in str(terminal.refused("test", file))


def test_a_custom_input_of_another_type_is_null_as_it_was_for_the_rules(terminal: Terminal) -> None:
    file = terminal.file(
        TRIED.replace("plan: text", "plan: text, visits: number")
        + "  - {name: word, condition: custom.plan IN LIST('words'), outcome: REVIEW}\n"
        + "  - {name: new, condition: custom.visits IS NULL, outcome: REVIEW}\n"
    )
    signals = {"custom.plan": {"a": [1]}, "custom.visits": True, "custom.more": [2]}
    case = terminal.file(json.dumps({"signals": signals, "stages": []}))
    told = {rule["name"]: rule for rule in terminal.json("test", file, "--case", case)["rules"]}
    assert told["gold"]["signals"] == {"custom.plan": None}
    assert told["word"]["lists"][0]["listed"] is None
    assert [name for name, rule in told.items() if rule["matches"]] == ["new"]
    assert "custom.visits = NULL" in terminal.ok("test", file, "--case", case)


def test_numbers_are_shown_as_they_are(terminal: Terminal) -> None:
    rule = "{name: a, condition: order.amount > 0, outcome: REVIEW}"
    file = terminal.file(f"rule_set: mine\nrules: [{rule}]")
    for given, shown in (("1234567.89", "1234567.89"), ("150.0", "150"), ("0.1", "0.1")):
        case = terminal.file(f'{{"signals": {{"order.amount": {given}}}}}')
        assert f"order.amount = {shown}\n" in terminal.ok("test", file, "--case", case)


def test_lists_are_asked_as_they_were_when_the_request_came(terminal: Terminal) -> None:
    terminal.ok("list")
    session = opened(terminal)
    with session.change() as change:
        lists.add(change, DEMO_ACCOUNT, "blocked-users", None, [PlannedEntry("u-1", "u-1")])
        listed_at = change.now_ms
        for number, at_ms in enumerate((listed_at - 1, listed_at)):
            record = made_record(signals={"user.id": "u-1"}, at_ms=at_ms)
            row = {"account_id": DEMO_ACCOUNT, "request_id": f"req_{number}", "at_ms": at_ms}
            row |= {"operation": "pipeline", "record": json.dumps(record)}
            change.connection.execute(DECISIONS.insert(), row)
    file = terminal.file(TRIED)
    given = [("--request", "req_0"), ("--request", "req_1")]
    given.append(("--case", terminal.file('{"signals": {"user.id": "u-1"}}')))
    given.append(("--case", terminal.file(json.dumps({**record, "at": iso_time(listed_at - 1)}))))
    statuses = [terminal.json("test", file, *case)["status"] for case in given]
    assert statuses == ["ACCEPT", "DECLINE", "DECLINE", "ACCEPT"]
    odd = terminal.file(json.dumps({**record, "at": "yesterday"}))
    assert "not a decision record" in str(terminal.refused("test", file, "--case", odd))


def test_signals_are_listed_by_group(terminal: Terminal) -> None:
    text = terminal.ok("signals", "--group", "card")
    assert "card.country" in text
    assert "ip.country" not in text
    everything = terminal.json("signals")
    assert len(everything) > 150
    assert {"name", "type", "about", "group", "example", "values"} == everything[0].keys()
    assert "did you mean velocity?" in str(terminal.refused("signals", "--group", "velocty"))


def test_an_account_without_rules_and_pipelines_is_furnished(terminal: Terminal) -> None:
    terminal.ok("list")
    with opened(terminal).change() as change:
        for table in (CONFIGURATIONS, CONFIGURATION_HEADS, LISTS):
            change.connection.execute(table.delete())
        sign_account(change, DEMO_ACCOUNT)
        change.audit("test")
    made = terminal.json("furnish", DEMO_ACCOUNT, app=accounts_commands.app)["made"]
    assert {"rule set starter", "pipeline 1", "pipeline 2", "list blocked-bins"} <= set(made)
    again = terminal.ok("furnish", DEMO_ACCOUNT, app=accounts_commands.app)
    assert again == f"{DEMO_ACCOUNT} has its own already\n"
