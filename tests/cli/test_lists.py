"""gatehouse lists, as operators use it: entries typed and in files, good ones and bad ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gatehouse.admin.lists import command as lists
from gatehouse.admin.lists.use_cases import lists as use_cases
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.core.secrets import keyring
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.starter import STARTER_LISTS, STARTER_NAME
from gatehouse.sentry.entities import EntityHasher
from gatehouse.signals.fingerprinter import Fingerprinter
from tests.harness import Home, make_account
from tests.harness.invoking import worded

CARD = "4242424242424242"


class Terminal:
    """Runs the commands in this process, on a home of their own."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.runner = CliRunner()
        with home.session() as session:
            self.account = make_account(session)
            self.fingerprinter = Fingerprinter(
                EntityHasher(session.ring.current(keyring.ENTITIES)[1])
            )

    def run(self, *arguments: str, given: str | bytes = "") -> Result:
        return self.runner.invoke(lists.app, arguments, input=given)

    def ok(self, *arguments: str, given: str | bytes = "") -> Any:
        done = self.run(*arguments, "--json", given=given)
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    def refused(self, *arguments: str, given: str | bytes = "") -> GatehouseError:
        done = self.run(*arguments, given=given)
        assert isinstance(done.exception, GatehouseError), done.output
        return worded(done.exception)

    def shown(self, name: str) -> list[str]:
        return [one["shown"] for one in self.ok("show", name)]


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    with Home(tmp_path_factory.mktemp("lists") / "home").migrated().current() as home:
        yield Terminal(home)


def test_a_list_is_made_filled_shown_and_dropped(terminal: Terminal) -> None:
    made = terminal.ok("create", "nets", "--kind", "networks", "--description", "of the office")
    assert made.items() >= {"list": "nets", "kind": "networks", "entries": 0}.items()
    added = terminal.ok("add", "nets", "203.0.113.7", "2001:db8::/32", "--reason", "known")
    assert added == {"list": "nets", "added": 2, "changed": 0, "unchanged": 0}
    changed = terminal.ok("add", "nets", "203.0.113.7", "--expires-in", "30d")
    assert changed["changed"] == 1
    [one, other] = terminal.ok("show", "nets")
    assert (one["shown"], one["value"], one["reason"]) == (
        "2001:db8::/32",
        "2001:db8::/32",
        "known",
    )
    assert (other["shown"], other["reason"], other["status"]) == ("203.0.113.7", "known", "listed")
    assert other["expiresAt"] is not None
    assert one["actor"].startswith("cli:")
    assert len(terminal.ok("show", "nets", "--gone")) == 3
    assert len(terminal.ok("show", "nets", "--limit", "1")) == 1
    text = terminal.run("show", "nets", "--limit", "1").output
    assert "more with --limit" in text
    every = {one["list"]: one for one in terminal.ok("show")}
    assert (every["nets"]["kind"], every["nets"]["entries"]) == ("networks", 2)
    assert "of the office" in terminal.run("show").output
    assert terminal.ok("remove", "nets", "203.0.113.7") == {"list": "nets", "removed": 1}
    assert terminal.ok("drop", "nets") == {"list": "nets", "removed": 1}
    assert isinstance(terminal.refused("show", "nets"), NotFound)


def test_adding_with_a_kind_makes_the_list(terminal: Terminal) -> None:
    assert isinstance(terminal.refused("add", "places", "gb"), NotFound)
    terminal.ok("add", "places", "gb", "fr", "--kind", "countries")
    assert terminal.shown("places") == ["FR", "GB"]
    assert isinstance(terminal.refused("add", "places", "a", "--kind", "words"), Conflict)
    assert "countries" in str(terminal.refused("add", "places", "a", "--kind", "towns"))
    assert "give entries" in str(terminal.refused("add", "places"))
    assert "give entries" in str(terminal.refused("remove", "places"))


def test_all_that_is_wrong_with_what_was_typed_is_said_at_once(terminal: Terminal) -> None:
    said = str(terminal.refused("add", "typed", "203.0.113.7/24", "x", "--kind", "networks"))
    assert "value 1 is an address inside a network: write 203.0.113.0/24" in said
    assert "value 2 must be an address" in said
    assert isinstance(terminal.refused("show", "typed"), NotFound)
    assert isinstance(terminal.refused("add", "typed", "10.0.0.1", "--kind", "networks",
                                   "--expires-in", "0d"), InvalidInput)  # fmt: skip


def test_a_card_number_is_taken_from_a_file_and_never_from_the_command_line(
    terminal: Terminal, tmp_path: Path
) -> None:
    for kind in ("cards", "words", "users"):
        error = terminal.refused("add", "stolen", CARD, "--kind", kind)
        assert "--file" in str(error)
        assert CARD not in str(error)
    terminal.ok("add", "stolen", "--kind", "cards", "--file", "-", given=f"{CARD}\n")
    (tmp_path / "cards").write_text("5555 5555 5555 4444,lost\n")
    terminal.ok("add", "stolen", "--file", str(tmp_path / "cards"))
    assert set(terminal.shown("stolen")) == {"42424242…4242", "55555555…4444"}
    [entry] = [one for one in terminal.ok("show", "stolen") if one["shown"].startswith("4")]
    assert entry["value"].startswith("card1_")
    assert "--file" in str(terminal.refused("remove", "stolen", CARD))
    terminal.ok("remove", "stolen", entry["value"])
    terminal.ok("add", "stolen", entry["value"])
    terminal.ok("remove", "stolen", "--file", "-", given=CARD)
    assert terminal.shown("stolen") == ["55555555…4444"]


def test_mailboxes_and_phones_are_kept_as_signals_have_them(terminal: Terminal) -> None:
    terminal.ok("add", "mail", "A.Smith+x@Gmail.com", "--kind", "emails")
    terminal.ok("add", "calls", "+44 20 7946 0958", "--kind", "phones")
    [mail], [call] = terminal.ok("show", "mail"), terminal.ok("show", "calls")
    assert mail["value"] == terminal.fingerprinter.hashed_email("asmith@gmail.com")
    assert call["value"] == terminal.fingerprinter.hashed_phone("+442079460958")
    assert (mail["shown"], call["shown"]) == ("a***@gmail.com", "+44•••58")
    missing = terminal.refused("remove", "mail", "somebody.else@example.com")
    assert isinstance(missing, NotFound)
    assert "s***@example.com" in str(missing)
    assert "somebody" not in str(missing)


def test_an_import_is_all_or_nothing_and_can_be_repeated(
    terminal: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(
        b"\xef\xbb\xbf# from the bank\r\nvalue,reason,expires\r\n203.0.113.0/24,abuse,30d\r\n"
        b"\r\n198.51.100.7\r\n"
    )
    dry = terminal.ok("import", "imported", str(file), "--kind", "networks", "--dry-run")
    assert (dry["added"], dry["dryRun"], dry["lines"]) == (2, True, 2)
    assert isinstance(terminal.refused("show", "imported"), NotFound)
    assert terminal.ok("import", "imported", str(file), "--kind", "networks")["added"] == 2
    file.write_text("198.51.100.7\n192.0.2.1\nnonsense\n192.0.2.3/24\n")
    said = str(terminal.refused("import", "imported", str(file)))
    assert "nothing was imported: 2 lines cannot be used" in said
    assert "line 3: must be an address" in said
    assert "line 4: is an address inside a network: write 192.0.2.0/24" in said
    assert "nonsense" not in said
    assert len(terminal.shown("imported")) == 2
    done = terminal.run("import", "imported", str(file), "--skip-bad", "--json")
    assert done.exit_code == 0
    assert "line 3" in done.stderr
    counts = json.loads(done.stdout)
    assert (counts["added"], counts["unchanged"], counts["bad"]) == (1, 1, 2)
    again = terminal.ok("import", "imported", str(file), "--skip-bad")
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 2)
    assert "No such file" in str(terminal.refused("import", "imported", str(tmp_path / "none")))
    assert "cannot read" in str(terminal.refused("import", "imported", str(tmp_path)))


def test_a_large_import_goes_in_turns(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_cases, "MOST_AT_ONCE", 10)
    many = "".join(f"user-{number}\n" for number in range(25))
    assert terminal.ok("import", "many", "-", "--kind", "users", given=many)["added"] == 25
    assert terminal.ok("import", "many", "-", given=many)["unchanged"] == 25
    assert len(terminal.ok("show", "many")) == 25


def test_a_list_that_rules_need_is_dropped_only_by_force(terminal: Terminal) -> None:
    """A new account has a rule set that looks things up on the lists it comes with."""
    name = STARTER_LISTS[0].name
    error = terminal.refused("drop", name)
    assert isinstance(error, Conflict)
    assert f"of {STARTER_NAME}" in str(error)
    terminal.ok("drop", name, "--force")
    assert name not in [one["list"] for one in terminal.ok("show")]


def test_what_only_looks_odd_is_not_called_a_card_number(terminal: Terminal) -> None:
    def said(kind: str, value: str) -> str:
        return str(terminal.refused("add", "odd", value, "--kind", kind))

    assert "control characters" in said("words", "a\x07b")
    assert "fingerprint as decisions show it" in said("cards", "hello")
    for kind in ListKind:
        assert "looks like a card number" in said(kind, "4242 4242 4242 4242"), kind
    assert "looks like a card number" in said("cards", CARD[:-1] + "1")
    # These have digits as a card number has them.
    terminal.ok("add", "odd-cards", f"fp1_{CARD}{'0a' * 12}", "--kind", "cards")
    terminal.ok("add", "odd-users", f"#{CARD}0a0a", "--kind", "users")
    terminal.ok("add", "odd-networks", "192.168.128.128/25", "--kind", "networks")
    terminal.ok("add", "odd-phones", "+49 151 23456712", "--kind", "phones")
