"""What holds for every command: `--json`, and one way to name the account."""

import json
from typing import Any

import pytest
import typer.main
from scripts.generate_docs import walk_commands

from gatehouse.cli.app import app
from tests.harness import Home

COMMANDS = {
    " ".join(path[1:]): command
    for path, command in walk_commands(typer.main.get_command(app), ("gatehouse",))
}
WITHOUT_JSON = {"serve", "console", "audit export", "invoices export"}
"""They run until they are stopped, and write their logs as JSON Lines, or they write a file."""
ABOUT_NO_ACCOUNT = {
    "the installation as a whole": {
        *("serve", "console", "backup", "restore", "copy", "doctor", "migrate", "sandbox"),
        *("reference-host", "health", "top"),
        *("audit head", "audit verify", "ledger verify", "retention show", "retention run"),
        "retention partition",
        *("invoices seller", "invoices export", "invoices accounts"),
        "sentry rebuild",
    },
    "the demo account, and no other": {"demo fill"},
    "all accounts, or one that does not exist yet": {"accounts create", "accounts list"},
    "keys of the installation": {
        *("secrets status", "secrets rotate-root", "secrets renew-fingerprints"),
        *("secrets convert-fingerprints", "secrets renew-identities"),
    },
    "sealed records of all accounts": {
        *("identities count", "identities compact", "identities reencrypt"),
    },
    "a file, or what ships with the service": {
        *("rules check", "rules signals", "pipelines check"),
        *("intel status", "intel look", "intel check"),
    },
    "connectors, which serve all accounts": {
        *("connectors check", "connectors apply", "connectors list", "connectors show"),
        *("connectors history", "connectors rollback", "connectors status"),
        *("connectors try", "connectors mappings", "connectors dialects"),
        *("notifications addresses", "notifications unmatched"),
    },
    "requests, whose ids are unique": {"gateway show", "gateway retry"},
    "people, who may have roles in several accounts": {
        *("users show", "users disable", "users enable", "users reset", "users sessions"),
        *("users end-sessions", "users delete", "users repair"),
    },
}


def _options(command: Any) -> dict[str, Any]:
    return {name: one for one in command.params for name in one.opts if name.startswith("--")}


def test_every_command_prints_json_for_scripts() -> None:
    without = {name for name, command in COMMANDS.items() if "--json" not in _options(command)}
    assert without == WITHOUT_JSON


def test_every_command_about_an_account_takes_account() -> None:
    without = {name for name, command in COMMANDS.items() if "--account" not in _options(command)}
    assert without == set().union(*ABOUT_NO_ACCOUNT.values())


def test_an_account_in_front_is_only_another_way_to_say_account() -> None:
    """No command has a positional account that must be given."""
    for name, command in COMMANDS.items():
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        for one in arguments:
            if "ACCOUNT" in str(one.metavar or one.name.upper()):
                assert "--account" in _options(command), name
                assert not one.required or one.metavar.startswith("[ACCOUNT] "), name


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, str, str]:
    """A home with two accounts, neither of them the demo account."""
    home = Home(tmp_path_factory.mktemp("two")).migrated()
    return home, home.account("1"), home.account("9")


SAME = [
    (["balance", "show"], []),
    (["balance", "top-up"], ["0.5"]),
    (["balance", "adjust"], ["-0.5", "--reason", "back"]),
    (["prices", "set"], ["PRECHECK=0.05", "RULES=0.01"]),
    (["prices", "show"], []),
    (["accounts", "show"], []),
    (["accounts", "furnish"], []),
    (["accounts", "policy"], []),
    (["accounts", "sentry"], []),
    (["keys", "list"], []),
    (["ledger", "show"], ["--limit", "1"]),
    (["statement"], []),
]


@pytest.mark.parametrize(("words", "rest"), SAME, ids="-".join)
def test_the_account_is_named_in_front_by_option_or_by_the_environment(
    two: tuple[Home, str, str], words: list[str], rest: list[str]
) -> None:
    home, first, second = two
    by_front = home.run(*words, second, *rest)
    by_option = home.run(*words, *rest, "--account", second)
    by_both = home.run(*words, second, *rest, "--account", second)
    by_environment = home.run(*words, *rest, GATEHOUSE_ACCOUNT=second)
    front_wins = home.run(*words, second, *rest, GATEHOUSE_ACCOUNT=first)
    ways = (by_front, by_option, by_both, by_environment, front_wins)
    assert [done.code for done in ways] == [0] * 5, [done.err for done in ways]
    for contradiction in (
        home.run(*words, second, *rest, "--account", first),
        home.run(*words, "--account", first, second, *rest),
    ):
        assert contradiction.code == 2
        assert "two accounts are named" in contradiction.err
    unsaid = home.run(*words, *rest)
    assert unsaid.code == 4
    assert "say which one with --account" in unsaid.err


def test_a_blank_account_is_a_mistake_and_never_the_default(two: tuple[Home, str, str]) -> None:
    home, *_ = two
    for words in (["balance", "show"], ["audit", "show"], ["gateway", "list"], ["keys", "list"]):
        done = home.run(*words, "--account", " ")
        assert done.code == 2
        assert "must be the id of an account" in done.err
    assert home.run("balance", "show", "").code == 2


def test_keys_are_named_with_and_without_their_account(two: tuple[Home, str, str]) -> None:
    home, first, second = two
    key = home.ok("keys", "issue", "--account", second, "--json").json["keyId"]
    new = home.ok("keys", "rotate", key, "--account", second, "--json").json["keyId"]
    home.ok("keys", "revoke", second, new)
    assert home.run("keys", "revoke", new, "--account", first).code == 3
    assert home.run("keys", "revoke", first, new, "more").code == 2


def test_wrong_usage_is_json_too(two: tuple[Home, str, str]) -> None:
    home, *_ = two
    for arguments in (
        ["balance", "show", "--jsn", "--json"],
        ["balance", "shw", "--json"],
        ["prices", "set", "acct_one", "--json"],
        ["ledger", "show", "--limit", "many", "--json"],
        ["feedback", "add", "--label", "fraud", "--json"],
    ):
        done = home.run(*arguments)
        told = json.loads(done.err)["error"]
        assert (done.code, told["code"], told["exitCode"], done.out) == (2, "wrong_usage", 2, "")
        assert told["message"]
