"""Pages and code say the same: what is generated is fresh, and nothing is missing or twice."""

import subprocess
import sys
from enum import StrEnum

import click
import pytest
import typer.main
from scripts.generate_docs import PARTS, parts_of, render, walk_commands

from gatehouse.access.keys import all_scopes
from gatehouse.api.problems import CODES
from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.cli import EXIT_CODES
from gatehouse.cli.app import app
from gatehouse.conditions.catalogue import SIGNALS, VELOCITY
from gatehouse.connectors.sandbox.people import all_holders
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.idverify.response import NameResult, Result, VerificationLevel
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result
from gatehouse.sentry.features.catalogue import ALL
from gatehouse.sentry.reasons import REMARKS
from gatehouse.sentry.scorecard import load_sheet
from gatehouse.settings.preflight import OF_CLIENTS
from gatehouse.settings.settings import ACCOUNT, ENV_FILE, declarations
from tests.docs.pages import ROOT, pages


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def _rows(page: str) -> list[list[str]]:
    """The cells of all table rows."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_generated_pages_are_fresh() -> None:
    command = [sys.executable, "-m", "scripts.generate_docs", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_generated_part_is_on_exactly_one_page() -> None:
    found = [name for page in pages() for name in parts_of(page.read_text())]
    assert sorted(found) == sorted(PARTS)


def test_a_stale_part_is_noticed_and_mended() -> None:
    page = _page("errors.md")
    stale = page.replace("`invalid_request`", "`invalid_rquest`")
    assert stale != page
    assert render(stale) == page


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_documented_once(code: str) -> None:
    page = _page("errors.md")
    assert page.count(f"`{code}`") == 1
    assert f"| `{code}` | {CODES[code].status} |" in page


def test_no_error_code_is_documented_that_does_not_exist() -> None:
    named = [row[0].strip("`") for row in _rows(_page("errors.md")) if row[0].startswith("`")]
    assert named == list(CODES)


def test_every_setting_is_documented_once() -> None:
    named = [row[0].strip("`") for row in _rows(_page("settings.md")) if row[0].startswith("`")]
    assert named == [variable for variable, _, _ in declarations()]
    assert f"`{ENV_FILE}`" in _page("settings.md")


def test_secret_settings_are_marked_and_no_others() -> None:
    rows = {row[0].strip("`"): row for row in _rows(_page("settings.md"))}
    for variable, _, declared in declarations():
        assert rows[variable][3].startswith("**Secret.**") is declared.secret


def test_pages_name_only_settings_that_exist() -> None:
    known = {variable for variable, _, _ in declarations()} | {ENV_FILE, ACCOUNT, *OF_CLIENTS}
    for page in pages():
        named = {word.strip("`'\",.;:()<>=") for word in page.read_text().split()}
        named = {word.partition("=")[0].rstrip("`,.;:") for word in named}
        unknown = {word for word in named if word.startswith("GATEHOUSE_") and word not in known}
        assert unknown <= {"GATEHOUSE_", "GATEHOUSE_HOME/demo-key"}, page


def test_every_trigger_is_documented() -> None:
    page = _page("sandbox.md")
    for trigger in all_triggers():
        assert f"| `{trigger.field}` | `{trigger.value}` | {trigger.effect} |" in page


def test_every_sandbox_person_is_documented() -> None:
    page = _page("sandbox.md")
    for holder in all_holders():
        assert f"| `{holder.card}` | {holder.person.owner_type} |" in page
        assert all(one.value in page for one in holder.person.identifiers)


def test_every_signal_is_documented_once_with_what_it_is_worth() -> None:
    rows = {row[0].strip("`"): row for row in _rows(_page("signals.md")) if len(row) == 5}
    assert list(rows) == ["Code", "---", *(signal.code for signal in ALL)]
    assert rows["IP_BLOCKED"][3] == "-4.0"
    assert rows["UA_CURRENT"][3] == "+0.35"
    assert rows["SESSION_TOO_YOUNG"][3] == "below 3: -0.8, from 3: -0.4"
    assert rows["IP_PRIVACY_RELAY"][3] == "none"


def test_every_reason_that_is_no_signal_is_documented() -> None:
    listed = [row[0] for row in _rows(_page("signals.md"))]
    assert {f"`{code}`" for code in REMARKS} <= set(listed)
    assert not set(REMARKS) & {signal.code for signal in ALL}


def test_every_family_of_signals_is_documented() -> None:
    listed = [row[0] for row in _rows(_page("signals.md"))]
    assert {f"`{term.family}`" for term in load_sheet().terms if term.family} <= set(listed)


def test_every_signal_for_rules_is_documented_once_with_its_values() -> None:
    listed = _rows(_page("rule-signals.md").partition("\n## All signals\n")[2])
    rows = [row for row in listed if row[0].startswith("`")]
    assert [row[0].strip("`") for row in rows] == list(SIGNALS)
    by_name = dict(zip(SIGNALS, rows, strict=True))
    assert by_name["ip.tor"][1] == "boolean"
    for name, info in SIGNALS.items():
        assert all(f"`'{value}'`" in by_name[name][3] for value in info.values)


def test_every_group_of_velocity_is_documented() -> None:
    page = _page("rule-signals.md")
    assert all(page.count(f"\n### velocity.{group}\n") == 1 for group in VELOCITY)
    assert "| `velocity.card.count_1h` | Requests with this card in the last hour," in page


def test_every_command_is_documented() -> None:
    page = _page("cli.md")
    found = [path for path, _ in walk_commands(typer.main.get_command(app), ("gatehouse",))]
    assert ("gatehouse", "keys", "rotate") in found
    for path in found:
        assert page.count(f"\n## {' '.join(path)}\n") == 1


def test_every_option_is_documented() -> None:
    page = _page("cli.md")
    for path, command in walk_commands(typer.main.get_command(app), ("gatehouse",)):
        section = page.partition(f"\n## {' '.join(path)}\n")[2].partition("\n## ")[0]
        for parameter in command.params:
            is_hidden = isinstance(parameter, click.Option) and parameter.hidden
            if parameter.param_type_name == "option" and parameter.name != "help" and not is_hidden:
                assert parameter.opts[0] in section, (path, parameter.opts)


def test_every_option_is_in_small_letters_with_every_version_of_the_command_library() -> None:
    """Some name an option after its metavar when the two differ in case alone."""
    for path, command in walk_commands(typer.main.get_command(app), ("gatehouse",)):
        names = [name for parameter in command.params for name in parameter.opts]
        assert [name for name in names if name.startswith("-") and name != name.lower()] == [], path


def test_every_exit_code_is_documented() -> None:
    listed = {row[0] for row in _rows(_page("cli.md"))}
    assert {str(code) for code in {0, 1, 2, *EXIT_CODES.values()}} <= listed


@pytest.mark.parametrize(
    "words", [Advice, AvsResult, Cvv2Result, Result, NameResult, VerificationLevel]
)
def test_every_word_of_the_answer_is_explained(words: type[StrEnum]) -> None:
    listed = [row[0] for row in _rows(_page("api.md"))]
    assert {f"`{word.value}`" for word in words} <= set(listed)


def test_every_scope_and_every_fee_type_is_named() -> None:
    assert all(f"`{scope}`" in _page("api.md") for scope in all_scopes())
    assert all(f"| `{fee_type}` |" in _page("billing.md") for fee_type in DEFAULT_FEES)
