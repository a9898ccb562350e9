"""gatehouse lists, as operators use it: entries typed and in files, good ones and bad ones."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gatehouse.cli.configured import list_files, lists
from gatehouse.cli.configured.list_files import ListFileContent, Terms, gather, moment, usual_format
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.starter import STARTER_LISTS, STARTER_NAME
from gatehouse.signals.fingerprinter import open_fingerprinter
from tests.harness import Home, make_account
from tests.rules.test_lists import KEEPER

CARD = "4242424242424242"
NOW = 1_800_000_000_000
DAY = 86_400_000


class Desk:
    """Runs the commands in this process, on a home of their own."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.runner = CliRunner()
        with home.office() as place:
            self.account = make_account(place)
            self.keeper = open_fingerprinter(place.ring)

    def run(self, *arguments: str, given: str | bytes = "") -> Result:
        return self.runner.invoke(lists.app, arguments, input=given)

    def ok(self, *arguments: str, given: str | bytes = "") -> Any:
        done = self.run(*arguments, "--json", given=given)
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    def refused(self, *arguments: str, given: str | bytes = "") -> GatehouseError:
        done = self.run(*arguments, given=given)
        assert isinstance(done.exception, GatehouseError), done.output
        return done.exception

    def shown(self, name: str) -> list[str]:
        return [one["shown"] for one in self.ok("show", name)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Home(tmp_path_factory.mktemp("lists") / "home").migrated().current() as home:
        yield Desk(home)


def read(
    data: bytes, kind: ListKind = ListKind.WORDS, form: list_files.ListFormat = "csv", **more: Any
) -> ListFileContent:
    return gather(io.BytesIO(data), form, Terms(kind, NOW, **more), KEEPER)


def test_a_list_is_made_filled_shown_and_dropped(desk: Desk) -> None:
    made = desk.ok("create", "nets", "--kind", "networks", "--description", "of the office")
    assert made == {"list": "nets", "kind": "networks"}
    added = desk.ok("add", "nets", "203.0.113.7", "2001:db8::/32", "--reason", "known")
    assert added == {"list": "nets", "added": 2, "changed": 0, "unchanged": 0}
    changed = desk.ok("add", "nets", "203.0.113.7", "--expires-in", "30d")
    assert changed["changed"] == 1
    [one, other] = desk.ok("show", "nets")
    assert (one["shown"], one["value"], one["reason"]) == (
        "2001:db8::/32",
        "2001:db8::/32",
        "known",
    )
    assert (other["shown"], other["reason"], other["status"]) == ("203.0.113.7", "known", "listed")
    assert other["expiresAt"] is not None
    assert one["actor"].startswith("cli:")
    assert len(desk.ok("show", "nets", "--gone")) == 3
    assert len(desk.ok("show", "nets", "--limit", "1")) == 1
    text = desk.run("show", "nets", "--limit", "1").output
    assert "more with --limit" in text
    every = {one["list"]: one for one in desk.ok("show")}
    assert (every["nets"]["kind"], every["nets"]["entries"]) == ("networks", 2)
    assert "of the office" in desk.run("show").output
    assert desk.ok("remove", "nets", "203.0.113.7") == {"list": "nets", "removed": 1}
    assert desk.ok("drop", "nets") == {"list": "nets", "removed": 1}
    assert isinstance(desk.refused("show", "nets"), NotFound)


def test_adding_with_a_kind_makes_the_list(desk: Desk) -> None:
    assert isinstance(desk.refused("add", "places", "gb"), NotFound)
    desk.ok("add", "places", "gb", "fr", "--kind", "countries")
    assert desk.shown("places") == ["FR", "GB"]
    assert isinstance(desk.refused("add", "places", "a", "--kind", "words"), Conflict)
    assert "countries" in str(desk.refused("add", "places", "a", "--kind", "towns"))
    assert "give entries" in str(desk.refused("add", "places"))
    assert "give entries" in str(desk.refused("remove", "places"))


def test_all_that_is_wrong_with_what_was_typed_is_said_at_once(desk: Desk) -> None:
    said = str(desk.refused("add", "typed", "203.0.113.7/24", "x", "--kind", "networks"))
    assert "value 1 is an address inside a network: write 203.0.113.0/24" in said
    assert "value 2 must be an address" in said
    assert isinstance(desk.refused("show", "typed"), NotFound)
    assert isinstance(desk.refused("add", "typed", "10.0.0.1", "--kind", "networks",
                                   "--expires-in", "0d"), InvalidInput)  # fmt: skip


def test_a_card_number_is_taken_from_a_file_and_never_from_the_command_line(
    desk: Desk, tmp_path: Path
) -> None:
    for kind in ("cards", "words", "users"):
        error = desk.refused("add", "stolen", CARD, "--kind", kind)
        assert "--file" in str(error)
        assert CARD not in str(error)
    desk.ok("add", "stolen", "--kind", "cards", "--file", "-", given=f"{CARD}\n")
    (tmp_path / "cards").write_text("5555 5555 5555 4444,lost\n")
    desk.ok("add", "stolen", "--file", str(tmp_path / "cards"))
    assert set(desk.shown("stolen")) == {"42424242…4242", "55555555…4444"}
    [entry] = [one for one in desk.ok("show", "stolen") if one["shown"].startswith("4")]
    assert entry["value"].startswith("fp1_")
    assert "--file" in str(desk.refused("remove", "stolen", CARD))
    desk.ok("remove", "stolen", entry["value"])
    desk.ok("add", "stolen", entry["value"])
    desk.ok("remove", "stolen", "--file", "-", given=CARD)
    assert desk.shown("stolen") == ["55555555…4444"]


def test_mailboxes_and_phones_are_kept_as_signals_have_them(desk: Desk) -> None:
    desk.ok("add", "mail", "A.Smith+x@Gmail.com", "--kind", "emails")
    desk.ok("add", "calls", "+44 20 7946 0958", "--kind", "phones")
    [mail], [call] = desk.ok("show", "mail"), desk.ok("show", "calls")
    assert mail["value"] == desk.keeper.hashed_email("asmith@gmail.com")
    assert call["value"] == desk.keeper.hashed_phone("+442079460958")
    assert (mail["shown"], call["shown"]) == ("a***@gmail.com", "+44•••58")
    missing = desk.refused("remove", "mail", "somebody.else@example.com")
    assert isinstance(missing, NotFound)
    assert "s***@example.com" in str(missing)
    assert "somebody" not in str(missing)


def test_an_import_is_all_or_nothing_and_can_be_repeated(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(
        b"\xef\xbb\xbf# from the bank\r\nvalue,reason,expires\r\n203.0.113.0/24,abuse,30d\r\n"
        b"\r\n198.51.100.7\r\n"
    )
    dry = desk.ok("import", "imported", str(file), "--kind", "networks", "--dry-run")
    assert (dry["added"], dry["dryRun"], dry["lines"]) == (2, True, 2)
    assert isinstance(desk.refused("show", "imported"), NotFound)
    assert desk.ok("import", "imported", str(file), "--kind", "networks")["added"] == 2
    file.write_text("198.51.100.7\n192.0.2.1\nnonsense\n192.0.2.3/24\n")
    said = str(desk.refused("import", "imported", str(file)))
    assert "nothing was imported: 2 lines cannot be used" in said
    assert "line 3: must be an address" in said
    assert "line 4: is an address inside a network: write 192.0.2.0/24" in said
    assert "nonsense" not in said
    assert len(desk.shown("imported")) == 2
    done = desk.run("import", "imported", str(file), "--skip-bad", "--json")
    assert done.exit_code == 0
    assert "line 3" in done.stderr
    counts = json.loads(done.stdout)
    assert (counts["added"], counts["unchanged"], counts["bad"]) == (1, 1, 2)
    again = desk.ok("import", "imported", str(file), "--skip-bad")
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 2)
    assert "No such file" in str(desk.refused("import", "imported", str(tmp_path / "none")))
    assert "cannot read" in str(desk.refused("import", "imported", str(tmp_path)))


def test_a_large_import_goes_in_turns(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "_FEW", 10)
    many = "".join(f"user-{number}\n" for number in range(25))
    assert desk.ok("import", "many", "-", "--kind", "users", given=many)["added"] == 25
    assert desk.ok("import", "many", "-", given=many)["unchanged"] == 25
    assert len(desk.ok("show", "many")) == 25


def test_values_reasons_and_expiries_are_read_from_a_file() -> None:
    found = read(
        b'a,first\n"b, c","he said ""no""",2030-01-01\n a ,second, 30d \n'
        b"d,,2030-01-01T02:00+02:00\n",
        reason="usual",
        expires_at_ms=NOW + 5,
    )
    assert found.read == 4
    assert [(one.value, one.reason, one.expires_at_ms) for one in found.listings.values()] == [
        ("a", "second", NOW + 30 * DAY),
        ("b, c", 'he said "no"', 1_893_456_000_000),
        ("d", "usual", 1_893_456_000_000),
    ]


def test_a_header_says_the_order_of_columns() -> None:
    found = read(b"Expires,Value\n1d,a\n,b\n")
    assert [(one.value, one.expires_at_ms) for one in found.listings.values()] == [
        ("a", NOW + DAY),
        ("b", None),
    ]
    for header in (b"value,colour\n", b"value,value\n", b"reason,expires\n"):
        with pytest.raises(InvalidInput, match="header"):
            read(header)


def test_words_and_users_may_hold_commas_and_hashes_are_no_comments() -> None:
    hashed = "#" + "0f" * 10
    found = read(f"Acme, Inc.\n# comment\n#not a hash\n{hashed}\n".encode(), form="lines")
    assert list(found.listings) == ["Acme, Inc.", hashed]
    found = read(f"{hashed},why\n#0f\n".encode(), ListKind.USERS)
    assert [(one.value, one.reason) for one in found.listings.values()] == [(hashed, "why")]
    assert usual_format("a.txt", ListKind.WORDS) == "lines"
    assert usual_format("-", ListKind.USERS) == "lines"
    assert usual_format("a.CSV", ListKind.WORDS) == "csv"
    assert usual_format("a.txt", ListKind.NETWORKS) == "csv"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"\xff\xfe\x00"[::-1], "UTF-8"),
        (b"x" * 5000, "longer than 4096 bytes"),
        (b"x" * 4097, "longer than 4096 bytes"),
        (b'"a', "quotation marks"),
        (b'"a"b', "quotation marks"),
        (b"a,b,c,d", "has 4 cells"),
        (b"a,b,tomorrow", "must expire after a span"),
        (b"a,b,2020-01-01", "has expired already"),
        (b"a,b,0d", "has expired already"),
        (b"a," + b"r" * 201, "200 characters"),
        (b",reason", "is empty"),
        (b"a\x00b", "control"),
        (b"\xed\xa0\x80", "UTF-8"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_others_are_read(
    line: bytes, says: str
) -> None:
    found = read(b"good\n" + line + b"\nbetter\n")
    assert list(found.listings) == ["good", "better"]
    assert [(flaw.line, says in flaw.message) for flaw in found.flaws] == [(2, True)]
    assert found.bad == 1


def test_the_first_twenty_bad_lines_are_shown_and_the_others_counted() -> None:
    found = read(b"x\n" * 50, ListKind.BINS)
    assert (found.bad, len(found.flaws)) == (50, 20)
    lines = found.report().splitlines()
    assert len(lines) == 21
    assert lines[0].startswith("  line 1: ")
    assert lines[-1] == "  and 30 others"


def test_a_file_that_no_list_can_hold_is_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "MOST_ENTRIES", 3)
    assert len(read(b"a\nb\nc\na\nb\n").listings) == 3
    with pytest.raises(InvalidInput, match="more than 3 different"):
        read(b"a\nb\nc\nd\n")
    with pytest.raises(InvalidInput, match="UTF-16"):
        read("a".encode("utf-16"))
    assert read(b"").listings == {}


def test_a_moment_is_a_span_or_a_time() -> None:
    assert moment("90m", NOW) == NOW + 90 * 60_000
    assert moment("2030-01-01T00:00:00Z", NOW) == moment("2030-01-01", NOW)
    assert moment("9999-12-31T23:59:59-23:59", NOW) > NOW


def test_a_list_that_rules_need_is_dropped_only_by_force(desk: Desk) -> None:
    """A new account has a rule set that looks things up on the lists it comes with."""
    name = STARTER_LISTS[0].name
    error = desk.refused("drop", name)
    assert isinstance(error, Conflict)
    assert f"of {STARTER_NAME}" in str(error)
    desk.ok("drop", name, "--force")
    assert name not in [one["list"] for one in desk.ok("show")]


def test_what_only_looks_odd_is_not_called_a_card_number(desk: Desk) -> None:
    def said(kind: str, value: str) -> str:
        return str(desk.refused("add", "odd", value, "--kind", kind))

    assert "control characters" in said("words", "a\x07b")
    assert "fingerprint as decisions show it" in said("cards", "hello")
    for kind in ListKind:
        assert "looks like a card number" in said(kind, "4242 4242 4242 4242"), kind
    assert "looks like a card number" in said("cards", CARD[:-1] + "1")
    # These have digits as a card number has them.
    desk.ok("add", "odd-cards", f"fp1_{CARD}{'0a' * 12}", "--kind", "cards")
    desk.ok("add", "odd-users", f"#{CARD}0a0a", "--kind", "users")
    desk.ok("add", "odd-networks", "192.168.128.128/25", "--kind", "networks")
    desk.ok("add", "odd-phones", "+49 151 23456712", "--kind", "phones")
