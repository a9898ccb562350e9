"""gatehouse sentry replay, run in this process."""

import contextlib
import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from gatehouse.access.actors import Actor
from gatehouse.admin.models.command import replay_files
from gatehouse.admin.models.command.replay_files import RequestFiles, check_apart, score_file
from gatehouse.admin.models.command.sentry_replay import replay
from gatehouse.core.errors import GatehouseError, InvalidInput, NotFound
from gatehouse.intel import networks
from gatehouse.operations.installation import open_admin_session
from gatehouse.sentry.scorecard import Prior, encode_sheet, load_sheet
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.configured import models
from gatehouse.training.report.report import encode_report
from tests.harness import Home
from tests.harness.invoking import worded
from tests.training.material import report

START = datetime(2026, 3, 1, tzinfo=UTC)
TOR, CLEAN = "192.0.2.1", "203.0.113.1"

app = typer.Typer()
app.command()(replay)


@pytest.fixture(autouse=True)
def folder(empty_sqlite_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and a home that is not there yet."""
    for name, value in empty_sqlite_home.environ().items():
        monkeypatch.setenv(name, value)
    for name in ("GATEHOUSE_DATABASE_URL", "GATEHOUSE_ACCOUNT"):
        monkeypatch.delenv(name, raising=False)
    # The packed table takes a moment to unpack; once is enough.
    monkeypatch.setattr(networks, "load_networks", _networks)
    monkeypatch.chdir(tmp_path)
    return tmp_path


_TABLE: list[networks.PackedNetworks] = []


def _networks(
    load: Callable[[], networks.PackedNetworks] = networks.load_networks,
) -> networks.PackedNetworks:
    if not _TABLE:
        _TABLE.append(load())
    return _TABLE[0]


def run(*arguments: str, stdin: bytes = b"") -> Any:
    done = CliRunner().invoke(app, arguments, input=stdin)
    if isinstance(done.exception, GatehouseError):
        raise worded(done.exception)
    assert done.exit_code == 0, done.output
    return done


def line(hours: float, label: str | None = None, address: str = CLEAN) -> str:
    at = (START + timedelta(hours=hours)).isoformat()
    told = {"at": at, "request": {"device": {"ipAddress": address}}, "label": label}
    return json.dumps(told) + "\n"


def write(name: str, *lines: str) -> str:
    Path(name).write_text("".join(lines))
    return name


def test_scores_are_written_with_a_header_in_the_order_of_the_requests() -> None:
    name = write("requests.jsonl", line(0, "fraud", TOR), line(1), line(200, "legitimate"))
    done = run(name, "--out", "scores.csv")
    header, *rows = Path("scores.csv").read_text().splitlines()
    assert header == "at,requestConfidence"
    assert [row.split(",")[0] for row in rows] == [
        "2026-03-01T00:00:00+00:00",
        "2026-03-01T01:00:00+00:00",
        "2026-03-09T08:00:00+00:00",
    ]
    tor, clean, _ = (float(row.split(",")[1]) for row in rows)
    # The sandbox's own addresses are known, as its server knows them.
    assert tor < 0.5 < clean
    assert done.stdout.startswith("3 requests from 2026-03-01T00:00:00.000Z to ")
    assert "1 fraud, 1 legitimate, 1 without a label\n1 labels became known" in done.stdout


def test_production_does_not_know_the_addresses_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = write("requests.jsonl", line(0, address=TOR), line(1, address=CLEAN))
    monkeypatch.setenv("GATEHOUSE_ENVIRONMENT", "production")
    run(name, "--out", "scores.csv")
    first, second = (row.split(",")[1] for row in Path("scores.csv").read_text().splitlines()[1:])
    assert first == second


def test_what_is_blocked_today_is_known_only_to_who_wants_that(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = "99.170.41.3"
    name = write("requests.jsonl", line(0, address=blocked))
    (folder / "feeds").mkdir()
    feed = folder / "feeds" / "blocked.txt"
    feed.write_text(f"{blocked}\n")
    # One that has just been written is given a moment.
    os.utime(feed, (START.timestamp(), START.timestamp()))
    monkeypatch.setenv("GATEHOUSE_INTEL_DIR", str(folder / "feeds"))
    run(name, "--out", "without.csv")
    run(name, "--out", "with.csv", "--feeds")
    scores = [
        float(Path(f"{each}.csv").read_text().splitlines()[1].split(",")[1])
        for each in ("without", "with")
    ]
    assert scores[0] > scores[1] + 0.2


def test_several_files_packed_or_not_are_one_stream(folder: Path) -> None:
    lines = [line(hour, "fraud", TOR if hour % 2 else CLEAN) for hour in range(9)]
    whole = write("whole.jsonl", *lines)
    first = write("first.jsonl", "\ufeff", *lines[:3])
    (folder / "second.jsonl.gz").write_bytes(gzip.compress("".join(lines[3:6]).encode()))
    third = write("third", "\n", *lines[6:])
    run(whole, "--out", "whole.csv", "--label-delay", "1h")
    run(first, "second.jsonl.gz", third, "--out", "parts.csv", "--label-delay", "1h")
    assert Path("parts.csv").read_text() == Path("whole.csv").read_text()
    assert len(Path("parts.csv").read_text().splitlines()) == 10


def test_standard_input_and_output_serve_as_files() -> None:
    lines = "".join(line(hour) for hour in range(3)).encode()
    for content in (lines, gzip.compress(lines)):
        done = run("-", "--json", stdin=content)
        assert done.stdout.splitlines()[0] == "at,requestConfidence"
        assert len(done.stdout.splitlines()) == 4
        summary = json.loads(done.stderr.splitlines()[-1])
        assert (summary["requests"], summary["unlabelled"]) == (3, 3)


def test_the_summary_as_json_goes_beside_a_file_of_scores() -> None:
    name = write("requests.jsonl", line(0, "fraud"), line(1, "legitimate"))
    summary = json.loads(run(name, "--out", "scores.csv", "--label-delay", "1h", "--json").stdout)
    assert summary == {
        "requests": 2,
        "frauds": 1,
        "legitimates": 1,
        "unlabelled": 0,
        "labelsLearned": 1,
        "firstAt": "2026-03-01T00:00:00.000Z",
        "lastAt": "2026-03-01T01:00:00.000Z",
        "retrainings": [],
        "found": [],
    }


def test_a_retraining_without_enough_labels_is_told() -> None:
    name = write("requests.jsonl", line(0), line(24), line(49))
    done = run(name, "--out", "scores.csv", "--label-delay", "0d", "--retrain-every", "1d")
    assert "2026-03-02T00:00:00.000Z: not retrained" in done.stderr
    assert [row.split() for row in done.stdout.splitlines()[-2:]] == [
        ["2026-03-02T00:00:00.000Z", "as", "before", "-", "-", "-"],
        ["2026-03-03T01:00:00.000Z", "as", "before", "-", "-", "-"],
    ]


def test_a_bad_line_is_named_by_its_file_and_line_and_nothing_is_written() -> None:
    good = write("good.jsonl", line(0), line(1))
    bad = write("bad.jsonl", line(2), "\n", "nonsense\n")
    early = write("early.jsonl", line(2), line(0.5))
    Path("scores.csv").write_text("as it was")
    with pytest.raises(InvalidInput, match=r"^bad\.jsonl, line 3: is not one line of JSON"):
        run(good, bad, "--out", "scores.csv")
    with pytest.raises(InvalidInput, match=r"^early\.jsonl, line 2: at is earlier"):
        run(good, early, "--out", "scores.csv")
    # Across files as well.
    with pytest.raises(InvalidInput, match=r"^good\.jsonl, line 1: at is earlier"):
        run(write("late.jsonl", line(9)), good, "--out", "scores.csv")
    assert Path("scores.csv").read_text() == "as it was"
    assert not list(Path().glob(".*"))


def test_standard_input_is_named_in_what_is_wrong_with_it() -> None:
    with pytest.raises(InvalidInput, match=r"^standard input, line 1: "):
        run("-", stdin=b"{}\n")


def test_a_line_that_is_far_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_files, "MOST_BYTES", 2048)
    name = write("requests.jsonl", line(0), " " * 4096)
    with pytest.raises(InvalidInput, match=r"requests\.jsonl, line 2: is longer than 2 KiB"):
        run(name, "--out", "scores.csv")


def test_a_file_that_is_missing_is_noticed_before_anything_is_replayed() -> None:
    name = write("requests.jsonl", line(0))
    with pytest.raises(InvalidInput, match=r"cannot read missing\.jsonl: No such file"):
        run(name, "missing.jsonl", "--out", "scores.csv")
    with pytest.raises(InvalidInput, match="is a folder"):
        run(".", "--out", "scores.csv")
    assert not Path("scores.csv").exists()


def test_a_damaged_archive_is_told_with_how_far_it_could_be_read(folder: Path) -> None:
    content = "".join(line(hour) for hour in range(2000)).encode()
    (folder / "cut.gz").write_bytes(gzip.compress(content)[:-200])
    with pytest.raises(
        InvalidInput, match=r"cannot read on after cut\.gz, line \d+: it is damaged"
    ):
        run("cut.gz", "--out", "scores.csv")


def test_scores_stand_under_their_name_only_when_all_are_there() -> None:
    with score_file("scores.csv") as write_score:
        write_score("2026-03-01T00:00:00Z", 0.25)
        assert not Path("scores.csv").exists()
    assert Path("scores.csv").read_text() == "at,requestConfidence\n2026-03-01T00:00:00Z,0.25\n"
    with contextlib.suppress(KeyboardInterrupt), score_file("scores.csv") as write_score:
        write_score("2026-03-01T00:00:00Z", 0.5)
        raise KeyboardInterrupt
    assert "0.25" in Path("scores.csv").read_text()
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


def test_two_replays_of_one_name_do_not_write_into_one_file() -> None:
    with (
        score_file("scores.csv") as first,
        score_file("scores.csv") as other,
    ):
        first("2026-03-01T00:00:00Z", 0.25)
        other("2026-03-01T00:00:00Z", 0.75)
        assert len(list(Path().glob(".scores.csv.*.unfinished"))) == 2
    assert Path("scores.csv").read_text().splitlines()[1:] == ["2026-03-01T00:00:00Z,0.25"]
    assert not list(Path().glob(".*"))


def test_the_scores_never_take_the_place_of_the_requests() -> None:
    name = write("requests.jsonl", line(0), line(1))
    other = write("other.jsonl", line(2))
    before = Path(name).read_text()
    Path("soft").symlink_to(name)
    Path("hard").hardlink_to(name)
    for out in (name, f"./{name}", str(Path(name).resolve()), "soft", "hard"):
        with pytest.raises(InvalidInput, match=r"^requests\.jsonl holds the requests; write the"):
            run(name, other, "--out", out)
        with pytest.raises(InvalidInput, match=r"^requests\.jsonl holds the requests"):
            run(other, name, "--out", out)
    assert Path(name).read_text() == before


def test_standard_streams_that_are_one_file_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = write("requests.jsonl", line(0))
    with Path(name).open("a+") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(InvalidInput, match=r"^requests\.jsonl holds the requests"):
            check_apart([name], "-")
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(InvalidInput, match=r"^standard input holds the requests"):
            check_apart(["-"], name)
        check_apart(["-", name], "/dev/null")


def test_a_link_or_a_device_is_written_to_and_not_replaced() -> None:
    Path("folder").mkdir()
    Path("link.csv").symlink_to("folder/scores.csv")
    name = write("requests.jsonl", line(0))
    run(name, "--out", "link.csv")
    assert Path("link.csv").is_symlink()
    assert len(Path("folder/scores.csv").read_text().splitlines()) == 2
    run(name, "--out", "/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("out", ["missing/scores.csv", "."])
def test_a_place_that_cannot_be_written_to_is_told(out: str) -> None:
    name = write("requests.jsonl", line(0))
    with pytest.raises(InvalidInput, match="cannot write"):
        run(name, "--out", out)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--label-delay", "soon", "a span of time"),
        ("--retrain-every", "0d", "longer than nothing"),
        ("--window", "7", "a span of time"),
        ("--model", "newest", "takes shipped or a number"),
        ("--model", "-1", "takes shipped or a number"),
        ("--model", "9" * 40, "takes shipped or a number"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(option: str, value: str, said: str) -> None:
    name = write("requests.jsonl", line(0))
    with pytest.raises(InvalidInput, match=said):
        run(name, f"{option}={value}")


def test_a_window_in_which_nothing_can_have_a_label_is_refused() -> None:
    name = write("requests.jsonl", line(0))
    with pytest.raises(InvalidInput, match="--window must be longer"):
        run(name, "--retrain-every", "7d", "--label-delay", "30d", "--window", "30d")


def test_a_replay_with_the_shipped_scorecard_needs_no_database(empty_sqlite_home: Home) -> None:
    run(write("requests.jsonl", line(0)), "--out", "scores.csv", "--model", "shipped")
    assert not Path(empty_sqlite_home.environ()["GATEHOUSE_HOME"]).exists()


def test_a_model_of_the_account_scores_instead_of_the_shipped_one(empty_sqlite_home: Home) -> None:
    session = open_admin_session(load_settings(empty_sqlite_home.environ()), Actor.system("test"))
    sheet = msgspec.structs.replace(load_sheet(), prior=Prior(0.02, "A test."))
    with session.change() as change:
        account = accounts.create(change, "Shop", "USD").account_id
        version = models.keep(
            change, account, lambda _: "{}", lambda _: encode_sheet(sheet), note=None
        )
    name = write("requests.jsonl", line(0))
    run(name, "--out", "shipped.csv")
    run(name, "--out", "zero.csv", "--model", "0")
    run(name, "--out", "own.csv", "--model", str(version), "--account", account)
    shipped, zero, own = (
        float(Path(f"{each}.csv").read_text().splitlines()[1].split(",")[1])
        for each in ("shipped", "zero", "own")
    )
    assert own < 0.2 < shipped == zero
    with pytest.raises(NotFound, match="gatehouse sentry models"):
        run(name, "--model", "7", "--account", account)
    told = encode_report(report(until="2026-03-02T00:00:00.000Z"))
    with session.change() as change:
        newer = models.keep(
            change, account, lambda _: told, lambda _: encode_sheet(sheet), note=None
        )
    done = run(name, "--out", "own.csv", "--model", str(newer), "--account", account)
    assert "warning: the model learned from requests up to 2026-03-02" in done.stderr
    done = run(name, "--out", "own.csv", "--model", str(version), "--account", account)
    assert "warning" not in done.stderr
    session.database.dispose()


def test_the_source_knows_how_much_it_has_read() -> None:
    first, second = write("a.jsonl", line(0), line(1)), write("b.jsonl", line(2))
    source = RequestFiles([first, second])
    assert source.size == Path(first).stat().st_size + Path(second).stat().st_size
    assert len(list(source)) == 3
    assert source.bytes_read == source.size
    assert source.place == "b.jsonl, line 1"


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.TextIOWrapper(io.BytesIO())
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    with pytest.raises(InvalidInput, match="standard input is closed"):
        list(RequestFiles(["-"]))
