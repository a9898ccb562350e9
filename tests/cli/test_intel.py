"""gatehouse intel: what operators see of the feeds."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gatehouse.cli.app import app
from gatehouse.settings.settings import load_settings
from tests.harness import Home
from tests.intel import mmdb

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, with a folder of feeds."""
    monkeypatch.setenv("GATEHOUSE_INTEL_DIR", str(tmp_path))
    return lambda *arguments: CliRunner().invoke(app, ["intel", *map(str, arguments)])


def drop(folder: Path, name: str, content: str | bytes, changed: int = 1_790_000_000) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.utime(path, (changed, changed))
    return path


def answered(result: Result, code: int = 0) -> Any:
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_the_status_shows_every_feed_and_what_is_wrong(run: Run, tmp_path: Path) -> None:
    drop(tmp_path, "tor.txt", "# source: The Tor Project\n# date: 2020-02-03\n8.8.8.8\n9.9.9.9\n")
    drop(tmp_path, "c.mmdb", mmdb.make({"8.8.8.0/24": {"country_code": "AT"}}, "DBIP-Country-Lite"))
    drop(tmp_path, "vpn.txt", "8.8.8.8\n<html>\n")
    drop(tmp_path, "notes.md", "?")
    (tmp_path / "proxy.txt").write_text("8.8.4.4\n")
    data = answered(run("status", "--json"))
    feeds = {feed["name"]: feed for feed in data["feeds"]}
    shipped = {name for name, feed in feeds.items() if feed["origin"] == "shipped"}
    assert {"networks", "bins", "browser-releases", "disposable-domains", "names"} <= shipped
    assert set(feeds) - shipped == {"tor.txt", "c.mmdb", "proxy.txt"}
    tor = feeds["tor.txt"]
    assert (tor["kind"], tor["source"], tor["date"], tor["rows"]) == (
        ("tor", "The Tor Project", "2020-02-03", 2)
    )
    assert tor["age"] > 2000
    assert 0 < tor["trust"] < 0.3
    assert feeds["c.mmdb"]["licence"] == "CC BY 4.0"
    assert feeds["proxy.txt"]["trust"] == 1.0, "a file of this moment is read too"
    assert feeds["bins"]["trust"] is None
    assert all(feed["rows"] > 0 for feed in feeds.values())
    reason = "line 2: '<html>' is no address, network or range of addresses"
    assert data["files"] == [
        {
            "name": "notes.md",
            "state": "not recognised",
            "reason": "no rule fits its name",
            "earlierInUse": False,
        },
        {"name": "vpn.txt", "state": "refused", "reason": reason, "earlierInUse": False},
    ]


def test_the_status_shows_that_a_date_far_ahead_is_not_believed(run: Run, tmp_path: Path) -> None:
    drop(tmp_path, "tor.txt", "# date: 2199-01-01\n8.8.8.8\n")
    feeds = {feed["name"]: feed for feed in answered(run("status", "--json"))["feeds"]}
    tor = feeds["tor.txt"]
    assert (tor["date"], tor["age"], tor["trust"]) == ("2199-01-01", None, 0.1)


def test_the_status_for_people_has_a_line_for_each(run: Run, tmp_path: Path) -> None:
    drop(tmp_path, "vpn.txt", "?\n")
    lines = run("status").stdout.splitlines()
    assert lines[0].split() == (
        ["NAME", "KIND", "ORIGIN", "DATE", "AGE", "TRUST", "ROWS", "LICENCE", "SOURCE"]
    )
    assert lines[1].startswith("networks")
    assert lines[-2].split() == ["FILE", "STATE", "REASON"]
    assert lines[-1].startswith("vpn.txt  refused  line 1: '?' is no address")


def test_an_address_is_looked_up_in_all_feeds(run: Run, tmp_path: Path) -> None:
    drop(tmp_path, "c.mmdb", mmdb.make({"8.8.8.0/24": {"country_code": "AT"}}))
    drop(tmp_path, "blocked.txt", "8.8.8.8\n")
    drop(tmp_path, "blocked-countries.txt", "AT\n")
    data = answered(run("look", "::ffff:8.8.8.8", "--json"))
    assert (data["address"], data["network"], data["wrapped"]) == (
        ("8.8.8.8", "8.8.8.0/24", "mapped")
    )
    assert (data["country"], data["asn"], data["blocked"]) == ("AT", 15169, True)
    assert data["countryBlocked"] is True
    shown = dict(line.split(maxsplit=1) for line in run("look", "8.8.8.8").stdout.splitlines())
    assert (shown["country"], shown["blocked"], shown["tor"]) == ("AT", "yes", "0.00")


def test_an_address_that_is_nobody_s_has_no_facts(run: Run) -> None:
    assert answered(run("look", "192.168.1.1", "--json")) == {
        "address": "192.168.1.1",
        "wrapped": None,
        "network": "192.168.1.0/24",
        "isPublic": False,
    }


def test_what_is_no_address_is_refused(sqlite_home: Home) -> None:
    done = sqlite_home.run("intel", "look", "example.com")
    assert (done.code, done.err) == (4, "gatehouse: 'example.com' is not an internet address\n")


def test_a_file_can_be_checked_before_it_is_used(run: Run, tmp_path: Path) -> None:
    good = drop(tmp_path, "asn.csv", "# licence: CC0\n8.8.8.0/24,15169,Google\n")
    data = answered(run("check", good, "--json"))
    assert (data["state"], data["kind"], data["rows"], data["licence"]) == (
        ("readable", "asn", 1, "CC0")
    )
    assert data["date"] == "2026-09-21"
    assert "rows      1" in run("check", good).stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("vpn.txt", "8.8.8.8\n\nx\n", "vpn.txt is refused: line 3: 'x' is no address, network"),
        ("c.mmdb", "8.8.8.8\n", "c.mmdb is refused: is no MaxMind database, or was cut off"),
        (
            "blocked-countries.csv",
            "Korea\n",
            "blocked-countries.csv is refused: line 1: 'Korea' is",
        ),
        ("ips.txt", "8.8.8.8\n", "ips.txt is not recognised by its name: no rule fits it"),
        ("tor.tmp", "8.8.8.8\n", "tor.tmp is not recognised by its name: files of that name are"),
    ],
)
def test_a_check_says_why_a_file_would_not_be_used(
    run: Run, tmp_path: Path, name: str, content: str, told: str
) -> None:
    result = run("check", drop(tmp_path, name, content))
    assert result.exit_code == 1
    assert result.stdout.startswith(told)


def test_the_folder_is_a_setting() -> None:
    assert load_settings({}).intel_dir is None
    assert load_settings({"GATEHOUSE_INTEL_DIR": "/srv/feeds"}).intel_dir == Path("/srv/feeds")
