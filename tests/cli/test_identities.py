"""gatehouse identities, as operators use it: files good and bad, interruptions, keys, erasure."""

import csv
import gzip
import io
import json
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.identities.use_cases.rows import IdentityParser, open_identity_file
from gatehouse.core.cards.brands import passes_luhn
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import Position
from gatehouse.core.files.records import BadRow, ParsedRow, RecordFile
from gatehouse.idverify.people import IdentifierType, OwnerType, PersonName
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.database import Database
from gatehouse.store.identities.identity_sealer import EVERYONE, HolderRecord
from tests.forkserver import fork_server
from tests.harness import PATIENCE_S, Done, Home, until
from tests.harness.commands import fork_command
from tests.harness.samples import RING

CARD, OTHER_CARD = "4242424242424242", "5555555555554444"
ELEANOR: dict[str, Any] = {
    "cardNumber": CARD,
    "reference": "customer-77",
    "ownerType": "PRIMARY",
    "names": [
        {"firstName": "Eleanor", "middleName": "Rose", "lastName": "Whitfield"},
        {"firstName": "Ellie", "lastName": "Whitfield"},
    ],
    "emails": ["eleanor.whitfield@example.com"],
    "phones": ["+44 20 7946 0958 ext. 12"],
    "identifiers": [{"type": "PASSPORT", "value": "533401372", "country": "GB"}],
}
SECRETS = (
    "Eleanor", "Whitfield", "eleanor.whitfield", "79460958", "7946 0958", "533401372",
    "customer-77", CARD,
)  # fmt: skip
HEADER = (
    "cardNumber,reference,ownerType,firstName,middleName,lastName,email,phone,phoneCountry,"
    "passport,passportCountry"
)


def write(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def numbers() -> Iterator[str]:
    """Card numbers, a different one each time."""
    chance = random.Random(11)
    while True:
        body = "4" + "".join(chance.choices("0123456789", k=14))
        yield next(body + digit for digit in "0123456789" if passes_luhn(body + digit))


def feed(home: Home, text: str, *arguments: str) -> Done:
    """Run a command with something on its standard input."""
    command = [fork_server().launcher, *arguments]
    done = subprocess.run(command, env=home.environ(), input=text, text=True,
                          capture_output=True, timeout=300, check=False)  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


IdentityRow = ParsedRow[HolderRecord]
NOWHERE = AdminSession(
    cast(Database, None), RING, int, os.urandom, Settings(), Actor.operator("test")
)
"""The keys of an installation without a database."""


def rows_of(source: RecordFile) -> Iterator[IdentityRow | BadRow]:
    parser = IdentityParser(NamedCards(NOWHERE, EVERYONE, "a test"))
    return source.rows(parser.from_cells if source.form == "csv" else parser.from_object)


def read(
    path: Path, data: bytes, start: Position | None = None
) -> tuple[list[IdentityRow], list[BadRow]]:
    """What is found in a file, by its name's format."""
    path.write_bytes(data)
    with closing(open_identity_file(path, "csv" if ".csv" in path.name else "jsonl")) as source:
        source.lines.go_to(start or Position())
        found = list(rows_of(source))
    refused = [one for one in found if isinstance(one, BadRow)]
    return [one for one in found if isinstance(one, ParsedRow)], refused


def said(refused: list[BadRow]) -> list[tuple[int, str]]:
    return [(one.line, problem.field) for one in refused for problem in one.problems]


def test_records_are_imported_shown_masked_exported_and_erased(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "people.jsonl", ELEANOR)
    first = home.ok("identities", "import", file, "--json")
    assert "for all accounts" in first.err
    assert (first.json["added"], first.json["refused"]) == (1, 0)
    assert home.ok("identities", "import", file, "--json").json["unchanged"] == 1

    shown = feed(home, CARD + "\n", "identities", "show", "--card", "-")
    assert shown.code == 0, shown.err
    assert all(part in shown.out for part in ("E. R. W.", "…@example.com", "…12", "PASSPORT …72"))
    assert not any(secret in shown.out + shown.err for secret in SECRETS)

    bare = home.ok("identities", "show", "--reference", "customer-77", "--reveal", "--json").json
    assert bare[0]["identifiers"] == ELEANOR["identifiers"]
    assert bare[0]["phones"] == ["+442079460958;ext=12"]
    person_id = bare[0]["id"]
    assert home.ok("identities", "show", "--id", person_id, "--json").json[0]["ownerType"]

    out = tmp_path / "out.jsonl"
    home.ok("identities", "export", str(out))
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert CARD not in out.read_text()
    assert home.run("identities", "export", str(out)).code == 4
    assert home.ok("identities", "import", str(out), "--json").json["unchanged"] == 1

    assert home.run("identities", "delete", "--id", person_id).code == 1  # nobody confirmed
    home.ok("identities", "delete", "--id", person_id, "--yes", "--reason", "asked to")
    assert home.run("identities", "show", "--id", person_id).code == 3
    assert home.ok("identities", "count", "--json").json == []
    assert home.ok("identities", "import", str(out), "--json").json["added"] == 1
    again = home.ok("identities", "export", "-")
    assert again.out == out.read_text()

    lines = home.ok("audit", "show", "--json").json
    actions = [line["action"].removeprefix("identities.") for line in lines]
    assert actions == [
        *["import-begin", "import-end"] * 2, "reveal", "export", "import-begin", "import-end",
        "erase", "import-begin", "import-end", "export",
    ]  # fmt: skip
    erased = next(line["details"] for line in lines if line["action"] == "identities.erase")
    assert erased == {"count": 1, "ids": [person_id], "reason": "asked to", "scope": "*"}
    assert not any(secret in json.dumps(lines) for secret in SECRETS)
    assert home.ok("audit", "verify", "--json").json["problems"] == []


def test_accounts_keep_their_records_apart(sqlite_home: Home, tmp_path: Path) -> None:
    mine, other = sqlite_home.account(), sqlite_home.account()
    file = write(tmp_path / "people.jsonl", ELEANOR)
    sqlite_home.ok("identities", "import", file, "--account", mine)
    selector = ("--reference", "customer-77")
    sqlite_home.ok("identities", "show", *selector, "--account", mine)
    assert sqlite_home.run("identities", "show", *selector, "--account", other).code == 3
    assert sqlite_home.run("identities", "show", *selector).code == 3
    assert sqlite_home.run("identities", "delete", *selector, "--yes", "--account", other).code == 3
    assert sqlite_home.run("identities", "import", file, "--account", "acct_nobody").code == 3
    sqlite_home.ok("identities", "import", file, "--account", other)
    sqlite_home.ok("identities", "delete", "--account", mine, "--account-all", "--yes")
    counted = sqlite_home.ok("identities", "count", "--json").json
    assert [(one["scope"], one["people"], one["types"]) for one in counted] == [
        (other, 1, {"PASSPORT": 1})
    ]
    sqlite_home.ok("identities", "delete", "--all", "--yes")
    assert sqlite_home.ok("identities", "count", "--json").json == []


def test_a_key_is_renewed_and_everything_sealed_anew(sqlite_home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "people.jsonl", ELEANOR, {**ELEANOR, "cardNumber": OTHER_CARD})
    sqlite_home.ok("identities", "import", file)
    told = sqlite_home.ok("secrets", "renew-identities").out
    assert "gatehouse identities reencrypt" in told
    [before] = sqlite_home.ok("identities", "count", "--json").json
    assert before["keyVersions"] == {"1": 2}
    done = sqlite_home.ok("identities", "reencrypt", "--json").json
    assert done == {
        "version": 2, "resealed": 2, "keysRemoved": 1, "compacted": True, "unreadable": [],
    }  # fmt: skip
    [after] = sqlite_home.ok("identities", "count", "--json").json
    assert after["keyVersions"] == {"2": 2}
    rings = sqlite_home.ok("secrets", "status", "--json").json
    assert [one["version"] for one in rings if one["purpose"] == "identities"] == [2]
    assert sqlite_home.ok("identities", "import", file, "--json").json["unchanged"] == 2
    sqlite_home.ok("identities", "show", "--reference", "customer-77")
    assert sqlite_home.ok("identities", "reencrypt", "--json").json["resealed"] == 0


def test_records_under_an_earlier_fingerprint_are_found_and_erased(
    sqlite_home: Home, tmp_path: Path
) -> None:
    file = write(tmp_path / "people.jsonl", ELEANOR)
    sqlite_home.ok("identities", "import", file)
    exported = tmp_path / "old.jsonl"
    sqlite_home.ok("identities", "export", str(exported))
    sqlite_home.ok("secrets", "renew-fingerprints", "--yes")
    refused = sqlite_home.run("identities", "import", str(exported))
    assert refused.code == 1
    assert "line 1: card: is the fingerprint of an earlier key" in refused.err
    sqlite_home.ok("identities", "import", file)
    [counted] = sqlite_home.ok("identities", "count", "--json").json
    assert (counted["people"], counted["outdated"]) == (2, 1)
    found = sqlite_home.ok("identities", "show", "--card", CARD, "--json").json
    assert {one["card"][:6] for one in found} == {"card1_", "card2_"}
    assert len(sqlite_home.ok("identities", "show", "--reference", "customer-77", "--json").json)
    sqlite_home.ok("identities", "delete", "--outdated", "--yes")
    [counted] = sqlite_home.ok("identities", "count", "--json").json
    assert (counted["people"], counted["outdated"]) == (1, 0)


def test_bad_lines_are_reported_without_their_values_and_the_others_kept(
    home: Home, tmp_path: Path
) -> None:
    bad = {**ELEANOR, "emails": ["eleanor.whitfield"], "phones": ["7946 0958"], "age": 4711}
    errors = tmp_path / "errors.csv"
    file = write(tmp_path / "people.jsonl", bad, ELEANOR, {"cardNumber": OTHER_CARD})
    done = home.run("identities", "import", file, "--errors", str(errors))
    assert done.code == 1
    assert "1 added, 0 changed, 0 unchanged, 2 refused" in done.out
    rows = list(csv.reader(io.StringIO(errors.read_text())))
    assert [row[:2] for row in rows] == [
        ["line", "field"], ["1", "record"], ["1", "emails[0]"], ["1", "phones[0]"], ["3", "record"],
    ]  # fmt: skip
    assert all(f"line {line}: {field}: {reason}" in done.err for line, field, reason in rows[1:])
    everything = done.out + done.err + errors.read_text()
    assert not any(secret in everything for secret in (*SECRETS, "4711"))


def test_a_rehearsal_changes_nothing(sqlite_home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "people.jsonl", ELEANOR)
    before = sqlite_home.ok("audit", "verify", "--json").json["lines"]
    done = sqlite_home.ok("identities", "import", file, "--dry-run")
    assert "would be: 1 added" in done.out
    assert sqlite_home.ok("identities", "count", "--json").json == []
    assert sqlite_home.ok("audit", "verify", "--json").json["lines"] == before


def test_records_come_from_standard_input_too(sqlite_home: Home) -> None:
    text = json.dumps(ELEANOR) + "\n"
    done = feed(sqlite_home, text, "identities", "import", "-", "--format", "jsonl", "--json")
    assert (done.code, done.json["added"]) == (0, 1)
    assert feed(sqlite_home, text, "identities", "import", "-").code == 4


def test_an_import_that_was_killed_goes_on_where_it_was(sqlite_home: Home, tmp_path: Path) -> None:
    number = numbers()
    records = [
        {"cardNumber": next(number), "names": [{"lastName": f"Holder {n}"}]} for n in range(9000)
    ]
    records[4] = {"cardNumber": "1"}
    records[8995] = {"cardNumber": "1"}
    file = write(tmp_path / "people.jsonl", *records)
    errors = tmp_path / "errors.csv"
    command = ["identities", "import", file, "--errors", str(errors)]
    sqlite_home.account()
    with Path(os.devnull).open("wb") as nothing:
        process = fork_command(command, sqlite_home.environ(), nothing, nothing)
    database = sqlite3.connect(sqlite_home.path / "sandbox.db", timeout=PATIENCE_S)
    far = "SELECT 1 FROM identity_imports WHERE line > 1000"
    until(lambda: database.execute(far).fetchall() or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE_S)
    [(line,)] = database.execute("SELECT line FROM identity_imports").fetchall()
    assert 1000 < line < 9000, "it was to be killed in the middle"
    again = sqlite_home.run(*command, "--json")
    assert again.code == 1
    assert f"resuming at line {line + 1}\n" in again.err
    found = again.json
    assert (found["added"], found["changed"], found["unchanged"]) == (8998, 0, 0)
    assert found["refused"] == 2
    assert found["before"]["added"] + found["before"]["refused"] == line
    assert [row.split(",")[0] for row in errors.read_text().splitlines()] == ["line", "5", "8996"]
    assert database.execute("SELECT count(*) FROM identities").fetchone() == (8998,)
    database.close()
    assert sqlite_home.ok("audit", "verify", "--json").json["problems"] == []


def test_a_long_file_takes_no_more_memory_than_a_short_one(
    sqlite_home: Home, tmp_path: Path
) -> None:
    """Held as a whole, the long one would take some seven megabytes more."""
    number = numbers()
    sqlite_home.account()

    def peak_bytes(records: int) -> int:
        file = tmp_path / f"{records}.jsonl"
        with file.open("w") as out:
            for n in range(records):
                names = [{"lastName": f"{'Whitfield ' * 5}{n}-{m}"} for m in range(8)]
                out.write(json.dumps({"cardNumber": next(number), "names": names}) + "\n")
        command = ["identities", "import", str(file)]
        with (tmp_path / "printed").open("w+b") as printed, Path(os.devnull).open("wb") as nothing:
            process = fork_command(command, sqlite_home.environ(), printed, nothing)
            assert process.wait(PATIENCE_S) == 0
            printed.seek(0)
            assert f"{records} added".encode() in printed.read()
        return process.peak_bytes

    assert peak_bytes(6000) - peak_bytes(1000) < 4_000_000


def test_a_csv_row_becomes_a_person(tmp_path: Path) -> None:
    text = (
        f"\ufeff{HEADER.upper()}\r\n"
        "4242 4242 4242 4242,customer-77,secondary,Eleanor,,Whitfield,"
        "a@example.com; b@example.com;,020 7946 0958;+1 415-555-2671;ext=7,gb,533401372,gb\r\n"
    )
    [record], refused = read(tmp_path / "a.csv", text.encode())
    assert refused == []
    entry = record.value
    assert (record.line, entry.reference) == (2, "customer-77")
    assert entry.person.owner_type is OwnerType.SECONDARY
    assert entry.person.names == (PersonName("Whitfield", "Eleanor"),)
    assert entry.person.emails == ("a@example.com", "b@example.com")
    assert entry.person.phones == ("+442079460958", "+14155552671;ext=7")
    [identifier] = entry.person.identifiers
    assert identifier.type is IdentifierType.PASSPORT
    assert (identifier.value, identifier.country) == ("533401372", "GB")


def test_a_packed_file_is_read_and_can_be_taken_up_in_the_middle(tmp_path: Path) -> None:
    lines = [json.dumps({**ELEANOR, "reference": str(n)}).encode() + b"\n" for n in range(50)]
    data = b"".join(lines)
    start = Position(20, sum(map(len, lines[:20])))
    found, _ = read(tmp_path / "a.jsonl.gz", gzip.compress(data, mtime=0), start)
    assert [(one.line, one.value.reference) for one in found] == [
        (n + 1, str(n)) for n in range(20, 50)
    ]


def test_a_csv_file_can_be_taken_up_after_any_record(tmp_path: Path) -> None:
    body = f'\ufeff{HEADER}\n{CARD},a,,"Eleanor ",,x,,,,,\n\n{CARD},"b ""c""",,"An\nna",,,,,,,\n'
    data = (body + f'{CARD},d,,"never closed,,,,,,,\n{CARD},e,,Anna,,,,,,,\n').encode()
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    with closing(open_identity_file(path, "csv")) as source:
        whole, places = [], [source.lines.at]
        for one in rows_of(source):
            whole.append(one)
            places.append(source.lines.at)
    assert [one.line for one in whole] == [2, 4, 5, 6, 7]
    assert [type(one) for one in whole] == [ParsedRow, BadRow, BadRow, BadRow, ParsedRow]
    for taken, place in enumerate(places):
        again, refused = read(path, data, place)
        lines = sorted([*(one.line for one in again), *(one.line for one in refused)])
        assert lines == [one.line for one in whole[taken:]]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (b"4242424242424241,,,A,,,,,,,", "cardNumber"),
        (b",,,A,,,,,,,", "cardNumber"),
        (b"4242424242424242,,,,,,,,,,", "record"),
        (b"4242424242424242,,TERTIARY,A,,,,,,,", "ownerType"),
        (b"4242424242424242,,,A\x07,,,,,,,", "firstName"),
        ("4242424242424242,,,\u200b,,,,,,,".encode(), "firstName"),
        (b"4242424242424242,,,%b,,,,,,," % (b"A" * 65), "firstName"),
        (b"4242424242424242,%b,,A,,,,,,," % (b"r" * 129), "reference"),
        (b"4242424242424242,,,A,,,nobody,,,,", "email"),
        (b"4242424242424242,,,A,,,%b@example.com,,,," % (b"a" * 250), "email"),
        (b"4242424242424242,,,A,,,,020 7946 0958,,,", "phone"),
        (b"4242424242424242,,,A,,,,020 7946 0958,XX,,", "phoneCountry"),
        (b"4242424242424242,,,A,,,%b,,,," % (b"a@example.com;" * 17), "email"),
        (b"4242424242424242,,,A,,,,,,533401372,United Kingdom", "passportCountry"),
        (b"4242424242424242,,,A,,,,,,,GB", "passportCountry"),
        (b"4242424242424242,,,A,,,,,,%b," % (b"1" * 65), "passport"),
        (b"4242424242424242,,,\xff\xfe,,,,,,,", "record"),
        (b"4242424242424242,,,A,,,,,,,,", "record"),
        (b"4242424242424242,A", "record"),
        (b'4242424242424242,,,"A"B,,,,,,,', "record"),
        (b"4242424242424242,,,%b,,,,,,," % (b"A" * 70_000), "record"),
    ],
)
def test_a_bad_row_is_refused_by_field_and_the_next_one_read(
    tmp_path: Path, row: bytes, field: str
) -> None:
    good = f"{CARD},,,Anna,,,,,,,\n".encode()
    found, refused = read(tmp_path / "a.csv", HEADER.encode() + b"\n" + row + b"\r\n" + good)
    assert {name for _, name in said(refused)} >= {field}
    assert [line for line, _ in said(refused)] == [2] * len(said(refused))
    assert [one.line for one in found] == [3]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cardNumber": 4242424242424242}, "cardNumber"),
        ({"cardNumber": None}, "cardNumber"),
        ({"card": "fp1_" + "a" * 40}, "card"),
        ({"cardNumber": None, "card": "fp1_short"}, "card"),
        ({"cardNumber": None, "card": "fp2_" + "a" * 40}, "card"),
        ({"names": {"firstName": "A"}}, "names"),
        ({"names": [{}]}, "names[0]"),
        ({"names": [{"firstName": " "}]}, "names[0].firstName"),
        ({"names": [{"firstname": "A"}]}, "names[0]"),
        ({"names": ["A"]}, "names[0]"),
        ({"names": [{"firstName": "A\ud800"}]}, "names[0].firstName"),
        ({"names": [{"firstName": "A"}] * 17}, "names"),
        ({"emails": [None]}, "emails[0]"),
        ({"phones": ["12", "+442079460958"]}, "phones[0]"),
        ({"identifiers": [{"type": "SSN", "value": "1"}]}, "identifiers[0].type"),
        ({"identifiers": [{"type": "TAX"}]}, "identifiers[0].value"),
        ({"identifiers": [{"type": "TAX", "value": "1", "country": "UK"}]},
         "identifiers[0].country"),
        ({"unknown": 1}, "record"),
        ({"reference": ["a"]}, "reference"),
    ],
)  # fmt: skip
def test_a_bad_object_is_refused_by_field(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    lines = json.dumps({**ELEANOR, **change}) + "\n" + json.dumps(ELEANOR) + "\n"
    found, refused = read(tmp_path / "a.jsonl", lines.encode())
    assert said(refused) in ([(1, field)], [(1, "record")] if "\\ud800" in lines else [])
    assert [one.line for one in found] == [2]


@pytest.mark.parametrize("line", [b"not json", b"[]", b'{"a":', b"\xff", b"[" * 60_000, b'"x"'])
def test_what_is_no_object_is_refused(tmp_path: Path, line: bytes) -> None:
    good = json.dumps(ELEANOR).encode()
    found, refused = read(tmp_path / "a.jsonl", line + b"\n\n" + good)
    assert said(refused) == [(1, "record")]
    assert [one.line for one in found] == [3]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.csv", b"", "header"),
        ("a.csv", b"cardNumber,surname\n", "column 2 of the header is unknown; there are card"),
        ("a.csv", b"firstName\n", "no column cardNumber"),
        ("a.csv", b"cardNumber,CARDNUMBER\n", "twice"),
        ("a.csv", b"\xff\xfec\x00", "UTF-16"),
        ("a.csv.gz", b"cardNumber\n", "cannot be read"),
        ("a.jsonl.gz", gzip.compress(b"{}\n" * 999, mtime=0)[:-9], "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_a_whole(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(tmp_path / name, data)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["import", "nowhere.csv"], 4, "cannot read"),
        (["import", "people.txt"], 4, "--format"),
        (["show"], 2, "--card, --id or --reference"),
        (["show", "--id", "idn_1", "--reference", "x"], 2, "one of them"),
        (["show", "--card", "4242"], 4, "12 to 19 digits"),
        (["show", "--id", "idn_1"], 3, "no such record"),
        (["delete", "--yes"], 2, "say which"),
        (["delete", "--all", "--account", "acct_1", "--yes"], 2, "say which"),
        (["delete", "--account-all", "--yes"], 2, "say which"),
        (["delete", "--all", "--yes"], 3, "no such record"),
        (["export", "/nowhere/at/all"], 4, "cannot write"),
        (["export", "-", "--account", "acct_nobody"], 3, "no account"),
    ],
)
def test_mistakes_are_explained(
    sqlite_home: Home, arguments: list[str], code: int, says: str
) -> None:
    done = sqlite_home.run("identities", *arguments)
    assert done.code == code, done.err
    assert says in done.err
    assert "Traceback" not in done.err


def test_fingerprints_are_those_of_the_live_path(sqlite_home: Home, tmp_path: Path) -> None:
    sqlite_home.ok("identities", "import", write(tmp_path / "people.jsonl", ELEANOR))
    with sqlite_home.session() as session:
        fingerprints = session.fingerprints
    [shown] = sqlite_home.ok("identities", "show", "--card", CARD, "--json").json
    assert shown["card"] == fingerprints.of_account(
        EVERYONE, fingerprints.inner(CardNumber.parse(CARD))
    )


def test_help_does_not_load_what_only_an_import_needs() -> None:
    code = "import gatehouse.cli.app, sys; print('phonenumbers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
