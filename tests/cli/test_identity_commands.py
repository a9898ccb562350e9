"""gatehouse identities where it could go wrong: stray quotes, pipes, scopes, full disks, damage."""

import contextlib
import functools
import gzip
import io
import json
import os
import random
import secrets
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import pytest

from gatehouse.admin.identities.command.identity_output import record_text
from gatehouse.admin.identities.use_cases import import_records
from gatehouse.admin.identities.use_cases.rows import open_identity_file
from gatehouse.cli.app import app
from gatehouse.core.files.records import ParsedRow
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import batch_of
from gatehouse.store.identities import erasure, imports
from gatehouse.store.tables import IDENTITIES
from tests.cli.test_identities import CARD, ELEANOR, HEADER, numbers, rows_of, write
from tests.forkserver import fork_server
from tests.harness import GATEHOUSE, Done, Home, make_account
from tests.harness.invoking import finished


class Run(Protocol):
    """Runs a command in this process, which is quicker than a new one."""

    def __call__(self, *arguments: str) -> Done: ...


@pytest.fixture
def run(sqlite_home: Home) -> Iterator[Run]:
    with sqlite_home.current():
        yield functools.partial(finished, app, "identities")


def people(count: int) -> list[dict[str, Any]]:
    number = numbers()
    return [{"cardNumber": next(number), "names": [{"lastName": f"N{n}"}]} for n in range(count)]


def spoil(session: AdminSession) -> None:
    """Damage every record."""
    with batch_of(session) as connection:
        connection.execute(IDENTITIES.update().values(sealed=secrets.token_bytes(80)))


def test_every_line_of_csv_counts_once_and_a_stray_quote_costs_one(tmp_path: Path) -> None:
    chance = random.Random(5)
    good = f"{CARD},,,Anna,,Lee,,,,,".encode()
    spoilt = [
        b'%b,,,"Anna,,Lee,,,,,' % CARD.encode(), b'%b,,,O"Neil,,Lee,,,,,' % CARD.encode(),
        b'%b,,,"An\xff,,,,,,,' % CARD.encode(), b'%b,,,"A",,"Lee,,,,,' % CARD.encode(), b'"',
        b'%b,,,"%b,,,,,,,' % (CARD.encode(), b"x" * 66_000), b'"x"y,,', b"\xff", b'a,"b', b'""",',
    ]  # fmt: skip
    whole = [
        b'%b,,,"Anna\n",,Lee,,,,,' % CARD.encode(),
        b'%b,,,"A ""B""",,Lee,,,,,' % CARD.encode(),
    ]
    path = tmp_path / "a.csv"
    for _ in range(60):
        weights = chance.choice([(20, 1, 1), (5, 3, 2), (1, 1, 1)])
        kinds = chance.choices(["good", "spoilt", "whole"], weights, k=40)
        pieces = [
            good if kind == "good" else chance.choice(spoilt if kind == "spoilt" else whole)
            for kind in kinds
        ]
        gap = chance.choice([b"\n", b"\r\n", b"\n\n"])
        data = HEADER.encode() + b"\n" + gap.join(pieces) + chance.choice([b"", b"\n"])
        path.write_bytes(data)
        lines = data.split(b"\n")
        with closing(open_identity_file(path, "csv")) as source:
            reached, counted = source.lines.at.line, 0
            kept_lines: set[int] = set()
            for one in rows_of(source):
                span = range(reached + 1, source.lines.at.line + 1)
                filled = [number for number in span if lines[number - 1].strip()]
                assert filled[0] == one.line
                assert isinstance(one, ParsedRow) or len(filled) == 1
                kept_lines.update(filled if isinstance(one, ParsedRow) else ())
                counted += len(filled)
                reached = source.lines.at.line
        assert counted == sum(bool(line.strip()) for line in lines[1:])
        plain = {n for n, line in enumerate(lines, 1) if line.strip() == good}
        assert plain <= kept_lines, "a good line was lost"


def test_a_pipe_is_read_like_standard_input(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "people.jsonl"
    os.mkfifo(pipe)
    data = json.dumps(ELEANOR).encode() + b"\n"
    for content in (data, gzip.compress(data)):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        done = run("import", str(pipe), "--json")
        writer.join()
        assert done.code == 0, done.err
        assert done.json["lines"] == 1
    command = [fork_server().launcher, "identities", "import", "-", "--format", "jsonl"]
    packed = subprocess.run(command, input=gzip.compress(data), capture_output=True, check=True)
    assert b"1 unchanged" in packed.stdout


def test_a_blank_account_is_a_mistake_and_never_all_of_them(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "people.jsonl", ELEANOR)
    assert run("import", file).code == 0
    for blank in ("", " ", "*"):
        for command in (
            ["import", file],
            ["show", "--card", CARD],
            ["export", str(tmp_path / "out")],
            ["delete", "--card", CARD, "--yes"],
            ["delete", "--account-all", "--yes"],
        ):
            done = run(*command, "--account", blank)
            assert (done.code, "--account" in done.err) == (2, True), command
    assert run("show", "--card", CARD).code == 0


def test_erasing_names_its_scope_and_a_person_can_be_erased_everywhere(
    run: Run, session: AdminSession, tmp_path: Path
) -> None:
    merchant = make_account(session)
    file = write(tmp_path / "people.jsonl", ELEANOR)
    for scope in ([], ["--account", merchant]):
        assert run("import", file, *scope).code == 0
    one = ("--reference", "customer-77")
    assert "Erase 1 record of all accounts?" in run("delete", *one).err
    assert f"Erase 1 record of {merchant}?" in run("delete", *one, "--account", merchant).err
    assert "Erase 1 record of all accounts?" in run("delete", "--operator-all").err
    both = f"Erase 2 records (1 of all accounts, 1 of {merchant})?"
    assert both in run("delete", "--all").err
    assert both in run("delete", "--card", CARD, "--every-account").err
    assert run("delete", "--operator-all", "--account", merchant, "--yes").code == 2
    assert run("delete", *one, "--every-account", "--account", merchant).code == 2

    assert run("delete", "--operator-all", "--yes", "--json").json == {
        "erased": 1,
        "compacted": True,
    }
    lost = run("show", *one)
    assert lost.code == 3
    assert "no such record of all accounts, but 1 record elsewhere" in lost.err
    assert merchant not in lost.err
    assert len(run("show", *one, "--every-account", "--json").json) == 1
    assert run("delete", *one, "--every-account", "--yes").code == 0
    assert run("show", *one, "--every-account").code == 3


def test_a_file_that_breaks_off_is_kept_as_far_as_it_goes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_records, "BATCH", 40)
    lines = [json.dumps(one).encode() + b"\n" for one in people(100)]
    path = tmp_path / "people.jsonl.gz"
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=0) as out:
        out.write(b"".join(lines))
    path.write_bytes(packed.getvalue()[: sum(map(len, lines[:70]))])
    done = run("import", str(path), "--json")
    assert done.code == 4
    assert "cannot be read after line" in done.err
    assert 40 < done.json["added"] <= 70
    [counted] = run("count", "--json").json
    assert counted["people"] == done.json["added"]
    again = run("import", str(path), "--json")
    assert (again.code, again.json["before"]["added"]) == (4, done.json["added"])


def test_a_rehearsal_knows_what_it_saw_before(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_records, "BATCH", 4)
    file = write(tmp_path / "people.jsonl", *people(6), *people(6))
    rehearsed = run("import", file, "--dry-run", "--json").json
    done = run("import", file, "--json").json
    assert (done["added"], done["unchanged"]) == (6, 6)
    assert rehearsed == {**done, "importId": None}


def test_what_cannot_be_opened_is_listed_and_the_rest_goes_on(
    run: Run, session: AdminSession, sqlite_home: Home, tmp_path: Path
) -> None:
    file = write(tmp_path / "bad.jsonl", ELEANOR)
    assert run("import", file).code == 0
    spoil(session)
    assert run("import", write(tmp_path / "good.jsonl", *people(3))).code == 0
    sqlite_home.ok("secrets", "renew-identities")
    exported = run("export", str(tmp_path / "out.jsonl"))
    assert exported.code == 1
    assert "cannot be opened: idn_" in exported.err
    assert (tmp_path / "out.jsonl").read_text().count("\n") == 3
    sealed = run("reencrypt", "--json")
    assert (sealed.code, sealed.json["resealed"], sealed.json["keysRemoved"]) == (1, 3, 0)
    assert [one["scope"] for one in sealed.json["unreadable"]] == ["*"]
    assert run("import", file, "--json").json["changed"] == 1
    assert run("reencrypt", "--json").json["keysRemoved"] == 1
    assert run("export", str(tmp_path / "again.jsonl")).code == 0


def test_a_large_file_is_not_rewritten_unasked(
    run: Run, sqlite_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", write(tmp_path / "people.jsonl", ELEANOR, *people(2)))
    monkeypatch.setattr(erasure, "QUICKLY_REWRITTEN_BYTES", 1)
    done = run("delete", "--card", CARD, "--yes")
    assert "1 record erased; sealed copies" in done.out
    assert "gatehouse identities compact" in done.out
    assert "compaction is due" in run("count").err
    assert "erased identities: sealed copies" in sqlite_home.run("doctor").out
    assert run("compact").code == 0
    assert "due" not in run("count").err
    assert "ok    erased identities" in sqlite_home.run("doctor").out
    assert run("delete", "--operator-all", "--compact", "--yes", "--json").json["compacted"] is True


def test_full_disks_and_closed_input_are_plain_errors(sqlite_home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "people.jsonl", ELEANOR, {"cardNumber": "1"})

    quick = fork_server().launcher

    def shell(gatehouse: str, command: str) -> Done:
        line = f"{gatehouse} identities {command}"
        done = subprocess.run(["bash", "-c", line], env=sqlite_home.environ(), text=True,
                              capture_output=True, timeout=300, check=False)  # fmt: skip
        assert "Traceback" not in done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    full = shell(quick, f"import {file} --errors /dev/full")
    assert (full.code, "cannot write /dev/full: No space left" in full.err) == (4, True)
    assert shell(quick, f"import {file}").code == 1
    full = shell(quick, "export - > /dev/full")
    assert (full.code, "No space left" in full.err) == (4, True)
    closed = shell(" ".join(GATEHOUSE), "import - --format csv <&-")
    assert (closed.code, "standard input is closed" in closed.err) == (4, True)


def test_the_errors_of_a_resumed_import_have_their_header(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_records, "BATCH", 1)
    file = write(tmp_path / "people.jsonl", *people(2), {"cardNumber": "1"})
    taken = imports.take
    calls: list[int] = []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return taken(*arguments)

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(imports, "take", interrupted)
        assert run("import", file).code == 130
    errors = tmp_path / "errors.csv"
    done = run("import", file, "--errors", str(errors))
    assert "of these before the interruption: 1 added, 0 changed" in done.out
    assert errors.read_text().splitlines()[0] == "line,field,reason"
    assert len(errors.read_text().splitlines()) == 2
    anew = run("import", file, "--from-start", "--json")
    assert (anew.json["before"], anew.json["unchanged"]) == (None, 2)


def test_names_are_masked_whole_when_short_and_revealed_with_their_parts(
    run: Run, tmp_path: Path
) -> None:
    names = [{"lastName": "王", "firstName": "小明"}, {"lastName": "Wang", "firstName": "Xiaoming"}]
    run("import", write(tmp_path / "people.jsonl", {"cardNumber": CARD, "names": names}))
    assert run("show", "--card", CARD, "--json").json[0]["names"] == ["… …", "X. W."]
    revealed = run("show", "--card", CARD, "--reveal").out
    assert "first 小明, last 王 / first Xiaoming, last Wang" in revealed
    assert record_text({"names": [{"middleName": "A", "firstName": "B"}]}).endswith(
        "first B, middle A"
    )
