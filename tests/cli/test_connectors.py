"""gatehouse connectors: what an operator types and sees."""

import functools
import json
from pathlib import Path

import msgspec
import pytest

from gatehouse.admin.audit.use_cases import lines
from gatehouse.admin.connectors.command.connectors import app
from gatehouse.connectors.routing.seat import SeatState
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.connector_reports import ConnectorReport, write_report
from tests.harness import Home
from tests.harness.invoking import as_data, finished, printed

CARD = "4242424242424242"
DECLINED = "4000000000000002"
SILENT = "4000000000000127"
FILE = """\
connectors:
  here: {kind: sandbox, timeout_ms: 50}
  there:
    kind: http
    mapping: gatehouse
    base_url: https://host.invalid
    secrets: {token: env:TOKEN_OF_NOBODY}
routes:
  precheck:
    - {brands: [VISA], use: [here]}
    - use: [there, here]
"""
run = functools.partial(printed, app)
data = functools.partial(as_data, app)


@pytest.fixture
def file(sqlite_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file that can be applied to an empty sandbox."""
    monkeypatch.setenv("GATEHOUSE_HOME", str(sqlite_home.path))
    path = tmp_path / "connectors.yaml"
    path.write_text(FILE)
    return str(path)


@pytest.fixture
def applied(file: str) -> str:
    """The same, applied."""
    run("apply", file)
    return file


def rewrite(file: str, old: str, new: str) -> None:
    Path(file).write_text(Path(file).read_text().replace(old, new))


def test_a_file_is_checked_without_being_applied(file: str) -> None:
    assert run("check", file) == "well-formed: here, there\n"
    found = data("check", file)
    assert found["valid"]
    assert [each["name"] for each in found["connectors"]] == ["here", "there"]
    assert found["connectors"][0]["usedBy"] == ["precheck"]
    with pytest.raises(NotFound, match="no connectors are configured yet"):
        run("list")


def test_mistakes_are_told_with_their_lines(file: str) -> None:
    rewrite(file, "sandbox", "sandbix")
    with pytest.raises(DocumentRefused, match="line 2, column 16"):
        run("check", file)


def test_applying_says_what_changes(file: str) -> None:
    assert "+ connector here: sandbox" in run("apply", file)
    assert "unchanged, at version 1" in run("apply", file)
    rewrite(file, "timeout_ms: 50", "timeout_ms: 60")
    assert data("apply", file, "--note", "slower") == {
        "version": 2,
        "changed": True,
        "differences": ["~ connector here.timeout_ms: 50 -> 60"],
        "warnings": [],
    }
    rewrite(file, "timeout_ms: 60", "timeout_ms: 70")
    with pytest.raises(Conflict, match="is at version 2"):
        run("apply", file, "--base", "1")


def test_versions_are_listed_and_gone_back_to(applied: str) -> None:
    rewrite(applied, "timeout_ms: 50", "timeout_ms: 60")
    run("apply", applied)
    assert [each["version"] for each in data("history")] == [2, 1]
    assert "in force" in run("history").splitlines()[1]
    assert "back at version 1" in run("rollback")
    assert run("show") == FILE
    assert "timeout_ms: 60" in run("show", "--version", "2")


def test_connectors_and_routes_are_listed(applied: str) -> None:
    text = run("list")
    assert "here       sandbox  precheck" in text
    assert "  1. brands VISA -> here" in text
    assert data("list")["routes"]["precheck"][1] == {"use": ["there", "here"]}


def test_one_connector_is_shown_with_where_its_secrets_are(applied: str) -> None:
    assert "env:TOKEN_OF_NOBODY" in run("show", "there")
    assert data("show", "here")["kind"] == "sandbox"
    with pytest.raises(NotFound, match="there are here, there"):
        run("show", "nowhere")


def test_a_mapping_beside_the_file_is_read_with_it(file: str) -> None:
    mine = Path(file).with_name("mine.yaml")
    mine.write_text(run("mappings", "--show", "gatehouse"))
    rewrite(file, "mapping: gatehouse", "mapping: ./mine.yaml")
    assert data("apply", file)["version"] == 1
    mine.unlink()
    with pytest.raises(InvalidInput, match=r"mine\.yaml cannot be read: No such file"):
        run("check", file)


def test_what_ships_is_listed_and_printed() -> None:
    assert "gatehouse" in run("mappings")
    assert {"name", "about"} == set(data("dialects")[0])
    assert "dialect: reference" in run("dialects", "--show", "reference")
    with pytest.raises(NotFound, match="no dialect mine ships; there are"):
        run("dialects", "--show", "mine")


def trying(*options: str, given: str = CARD) -> tuple[int, str]:
    """How a trial ended, and what it printed."""
    done = finished(app, "try", "here", "--expiry", "2035-12", *options, given=given)
    return done.code, done.out + done.err


def test_one_request_is_tried_with_a_card_from_standard_input(applied: str) -> None:
    code, said = trying("--function", "precheck")
    assert (code, "advice: ACCEPT" in said) == (0, True)
    assert "42424242…4242" in said
    assert CARD not in said


def test_a_card_and_its_code_can_be_in_the_environment(
    applied: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_CARD", DECLINED)
    monkeypatch.setenv("MY_CODE", "123")
    code, said = trying(
        "--function", "precheck", "--card", "env:MY_CARD", "--code", "env:MY_CODE", "--json"
    )
    found = json.loads(said)
    assert (code, found["answered"], found["response"]["advice"]) == (0, True, "DECLINE")
    assert found["response"]["cvv2Result"] == "MATCH"


def test_a_card_is_never_an_argument(applied: str) -> None:
    code, said = trying("--function", "precheck", "--card", CARD)
    assert (code, "is never an argument" in said) == (2, True)
    assert CARD not in said


def test_no_answer_is_an_exit_code_of_its_own(applied: str) -> None:
    code, said = trying("--function", "precheck", given=SILENT)
    assert (code, "did not answer in time" in said) == (1, True)


def test_what_is_claimed_about_the_holder_is_in_a_file(applied: str, tmp_path: Path) -> None:
    details = tmp_path / "details.json"
    details.write_text('{"cardHolderName": {"firstName": "Amelia", "lastName": "Whitfield"}}')
    code, said = trying("--function", "idverify", "--details", str(details))
    assert (code, '"nameMatchDecision":"MATCH"' in said) == (0, True)
    details.write_text('{"cardHolderName": {"givenName": "Amelia"}}')
    assert (
        "givenName is not a known field"
        in trying("--function", "idverify", "--details", str(details))[1]
    )
    assert "nothing is claimed" in trying("--function", "idverify")[1]


PAYING = ("--function", "gateway", "--amount", "1.00", "--currency", "EUR")


def test_a_payment_is_made_only_when_told_to_and_reversed(
    applied: str, sqlite_session: AdminSession
) -> None:
    code, said = trying(*PAYING)
    assert (code, "say so with --yes" in said) == (2, True)
    code, said = trying(*PAYING, "--yes")
    assert (code, "the payment was reversed" in said) == (0, True)
    assert "status: APPROVED" in said
    (line,) = lines(sqlite_session, None, 1)
    assert line.action == "connectors.try"
    assert line.details["card"] == "42424242…4242"


def test_a_payment_that_is_kept_is_not_reversed(applied: str) -> None:
    assert json.loads(trying(*PAYING, "--yes", "--keep", "--json")[1])["reversed"] is None


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--currency", "EUR"), "needs --amount and --currency"),
        (("--amount", "much", "--currency", "EUR"), "--amount must be a number"),
        (("--amount", "1.001", "--currency", "EUR"), "--amount must have at most 2 decimals"),
        (("--amount", "1", "--currency", "EURO"), "--currency is not a currency"),
    ],
)
def test_an_amount_that_cannot_be_paid_is_refused(
    applied: str, options: tuple[str, ...], problem: str
) -> None:
    code, said = trying("--function", "gateway", "--yes", *options)
    assert code in (2, 4)
    assert problem in said


def test_a_connector_without_its_secret_names_it(applied: str) -> None:
    with pytest.raises(SettingsError, match="env:TOKEN_OF_NOBODY is empty or not set"):
        run("try", "there", "--function", "precheck", "--expiry", "2035-12", given=CARD)


def test_a_file_can_be_tried_before_it_is_applied(file: str) -> None:
    code, said = trying("--function", "precheck", "--file", file)
    assert (code, "advice: ACCEPT" in said) == (0, True)
    with pytest.raises(NotFound):
        run("list")


def test_status_tells_what_running_servers_report(
    applied: str, sqlite_session: AdminSession
) -> None:
    assert run("status") == "no running server uses connectors\n"
    state = SeatState("http", False, 0, 200, problem="env:TOKEN is empty or not set")
    now_ms = sqlite_session.clock()
    for server, at_ms in (("srv_1", now_ms), ("srv_2", now_ms - 60_000)):
        raw = msgspec.Raw(msgspec.json.encode({"there": state}))
        report = ConnectorReport(server, "host-1", 17, at_ms, 1, raw)
        with sqlite_session.database.writing() as connection:
            write_report(connection, report)
    done = finished(app, "status")
    assert done.code == 1
    assert "there      down" in done.out
    assert "env:TOKEN is empty or not set" in done.out
    assert len(json.loads(finished(app, "status", "--json").out)) == 1


def test_waiting_for_connectors_ends_when_all_are_up_or_the_time_is_over(
    applied: str, sqlite_session: AdminSession
) -> None:
    assert finished(app, "status", "--wait", "0.01").code == 1
    raw = msgspec.Raw(msgspec.json.encode({"there": SeatState("http", True, 0, 200)}))
    report = ConnectorReport("srv_1", "host-1", 17, sqlite_session.clock(), 1, raw)
    with sqlite_session.database.writing() as connection:
        write_report(connection, report)
    assert finished(app, "status", "--wait", "3600").code == 0
