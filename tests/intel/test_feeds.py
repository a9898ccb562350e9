"""The feeds in use: what ships under what an operator drops into a folder, live."""

import logging
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from gatehouse.intel.addresses import Address, read_address
from gatehouse.intel.agents.claims import Claims
from gatehouse.intel.feeds import feeds
from gatehouse.intel.feeds import files as feed_files
from gatehouse.intel.feeds import folder as feed_folder
from gatehouse.intel.feeds.feeds import EVERY_S, Feeds
from gatehouse.intel.feeds.files import FeedFile, FeedUnreadable, Form, read_feed
from gatehouse.intel.feeds.folder import FileReport
from gatehouse.intel.feeds.freshness import day_of, trust
from gatehouse.intel.feeds.lines import Lines
from gatehouse.intel.networks import AddressBook, AddressFacts, Feed, load_networks
from tests.harness import PATIENCE_S
from tests.intel import mmdb

TODAY = "2026-11-15"
DAY = day_of(TODAY)
NOON_MS = (DAY * 24 + 12) * 3_600_000
LONG_AGO_S = NOON_MS // 1000 - 3600
BUILT = DAY * 86_400

HOSTED, HIDDEN, RELAYED, ROAMING, HOME = "45.0.0.1", "46.0.0.1", "47.0.0.1", "48.0.0.1", "49.0.0.1"


class Shipped:
    """A table of networks as small as can be."""

    def __init__(self, date: str | None = TODAY) -> None:
        self.feed = Feed("networks", "networks", "a test", "none", date, 5, None, "shipped")

    def find(self, address: Address) -> Claims:
        rows = {
            HOSTED: Claims("DE", 24940, "Hetzner", hosting=True),
            HIDDEN: Claims("CH", 9009, "M247", vpn=True),
            RELAYED: Claims("US", 36183, "Akamai", hosting=True, vpn=True, relay=True),
            ROAMING: Claims("FR", 3215, "Orange", mobile=True),
            HOME: Claims("IT", 3269, "Telecom Italia"),
        }
        return rows.get(address.text, Claims())


class WatchedFolder:
    """A folder of feeds with a clock that is moved by hand."""

    def __init__(self, folder: Path, shipped: Shipped | None = None) -> None:
        self.folder = folder
        self.now_ms = NOON_MS
        self.feeds = Feeds(shipped or Shipped(), folder, lambda: self.now_ms)

    def drop(self, name: str, content: str | bytes, *, age_s: float = 3600) -> Path:
        """Put a file there as `mv` does; its last change lies some time back."""
        path, unfinished = self.folder / name, self.folder / ".unfinished"
        unfinished.write_bytes(content if isinstance(content, bytes) else content.encode())
        changed = self.now_ms / 1000 - age_s
        os.utime(unfinished, (changed, changed))
        unfinished.rename(path)
        return path

    def look(self, text: str = HOME, day: int = DAY) -> AddressFacts:
        found = read_address(text)
        assert found is not None
        return self.feeds.look(found, day)

    def names(self) -> list[str]:
        return [feed.name for feed in self.feeds.feeds()]

    def refused(self) -> dict[str, str]:
        return {one.name: one.reason for one in self.feeds.reports() if one.state == "refused"}


@pytest.fixture
def watched(tmp_path: Path) -> WatchedFolder:
    return WatchedFolder(tmp_path)


def dated(days: int, *lines: str) -> str:
    """A list of an age."""
    return "\n".join([f"# date: {date.fromisoformat(TODAY) - timedelta(days=days)}", *lines, ""])


# ---- What the feeds say together ---------------------------------------------------------------


def test_without_a_folder_only_what_ships_speaks() -> None:
    book: AddressBook = Feeds(Shipped(), None, lambda: NOON_MS)
    found = [read_address(text) for text in (HOSTED, HIDDEN, RELAYED, ROAMING, "50.0.0.1")]
    assert [book.look(one, DAY) for one in found if one] == [
        AddressFacts("DE", 24940, "Hetzner", hosting=1.0),
        AddressFacts("CH", 9009, "M247", vpn=1.0),
        AddressFacts("US", 36183, "Akamai", relay=1.0),
        AddressFacts("FR", 3215, "Orange", mobile=True),
        AddressFacts(),
    ]
    assert isinstance(book, Feeds)
    assert book.refresh() == []
    assert book.reports() == []
    assert [feed.name for feed in book.feeds()] == ["networks"]


def test_the_table_that_ships_can_be_asked() -> None:
    book = Feeds(load_networks(), None, lambda: NOON_MS)
    address = read_address("1.1.1.1")
    assert address is not None
    facts = book.look(address, DAY)
    assert facts.asn == 13335
    assert facts.hosting == facts.vpn == 0.0
    assert book.feeds()[0].origin == "shipped"


@pytest.mark.parametrize("kind", ["tor", "vpn", "proxy", "hosting", "relay"])
@pytest.mark.parametrize("name", ["{}.txt", "{}-some.csv"])
def test_a_list_raises_its_own_flag_and_no_other(
    watched: WatchedFolder, kind: str, name: str
) -> None:
    watched.drop(name.format(kind), dated(0, "49.0.0.0/24"))
    assert watched.feeds.refresh() == []
    facts = watched.look()
    raised = {flag for flag in ("tor", "vpn", "proxy", "hosting", "relay") if getattr(facts, flag)}
    assert (raised, getattr(facts, kind)) == ({kind}, 1.0)
    assert facts.country == "IT"
    assert watched.look("49.0.1.1") == AddressFacts()


def test_operator_s_lists_block_allow_and_mark_mobile_addresses(watched: WatchedFolder) -> None:
    watched.drop("blocked.txt", "49.0.0.0/24\n")
    watched.drop("allowed.txt", "49.0.0.9\n")
    watched.drop("mobile.txt", "49.0.0.0/23\n")
    watched.drop("blocked-countries.txt", "IT\n")
    watched.feeds.refresh()
    facts = watched.look()
    assert (facts.blocked, facts.allowed, facts.mobile, facts.country_blocked) == (
        (True, False, True, True)
    )
    assert watched.look("49.0.0.9").allowed
    assert not watched.look("49.0.0.9").blocked
    assert not watched.look(HOSTED).country_blocked
    assert not watched.look("50.0.0.1").country_blocked


def test_what_is_allowed_is_neither_blocked_nor_suspicious(watched: WatchedFolder) -> None:
    for kind in ("blocked", "tor", "vpn", "hosting", "proxy", "allowed"):
        watched.drop(f"{kind}.txt", "45.0.0.0/24\n")
    watched.feeds.refresh()
    assert watched.look(HOSTED) == AddressFacts("DE", 24940, "Hetzner", allowed=True)


def test_a_relay_is_no_vpn_although_lists_of_vpns_have_it(watched: WatchedFolder) -> None:
    watched.drop("vpn.txt", "49.0.0.0/16\n2a02:26f7::/32\n")
    watched.drop("hosting.txt", "49.0.0.0/16\n")
    watched.drop("relay.csv", "49.0.0.0/24,IT,Rome\n2a02:26f7:c000::/64,IT,Rome\n")
    watched.feeds.refresh()
    assert watched.look() == AddressFacts("IT", 3269, "Telecom Italia", relay=1.0)
    assert watched.look("49.0.1.1").vpn == watched.look("49.0.1.1").hosting == 1.0
    assert watched.look("2a02:26f7:c000::1") == AddressFacts(relay=1.0)
    assert watched.look("2a02:26f7:c001::1") == AddressFacts(vpn=1.0)


def test_a_relay_that_ships_does_not_deny_what_the_operator_says(watched: WatchedFolder) -> None:
    """What ships knows whose network it is, not which of its addresses are the relay's."""
    record = {"is_anonymous_vpn": True}
    watched.drop("any.mmdb", mmdb.make({"47.0.0.1/32": record}, "GeoIP2-Anonymous-IP", built=BUILT))
    watched.feeds.refresh()
    facts = watched.look(RELAYED)
    assert (facts.vpn, facts.hosting, facts.relay) == (1.0, 0.0, 0.0)
    watched.drop("hosting.txt", "47.0.0.0/24\n")
    watched.feeds.refresh()
    facts = watched.look(RELAYED)
    assert (facts.vpn, facts.hosting, facts.relay) == (1.0, 1.0, 0.0)
    watched.drop("relay.txt", "47.0.0.0/24\n")
    watched.feeds.refresh()
    facts = watched.look(RELAYED)
    assert (facts.vpn, facts.hosting, facts.relay) == (0.0, 0.0, 1.0)


def test_an_operator_s_relay_clears_what_ships_too(watched: WatchedFolder) -> None:
    watched.drop("relay.txt", "45.0.0.0/24\n46.0.0.0/24\n")
    watched.feeds.refresh()
    assert watched.look(HOSTED) == AddressFacts("DE", 24940, "Hetzner", relay=1.0)
    assert watched.look(HIDDEN) == AddressFacts("CH", 9009, "M247", relay=1.0)


@pytest.mark.parametrize("length", [65, 96, 127, 128])
def test_networks_of_ipv6_are_exact_beyond_half_an_address(
    watched: WatchedFolder, length: int
) -> None:
    watched.drop("tor.txt", f"2a00:1:2:3:8000::/{length}\n")
    watched.feeds.refresh()
    last = (0x2A00_0001_0002_0003_8000 << 48) + (1 << (128 - length)) - 1
    assert watched.look("2a00:1:2:3:8000::").tor == 1.0
    assert watched.look("2a00:1:2:3:7fff:ffff:ffff:ffff").tor == 0.0
    assert [watched.look(_v6(last)).tor, watched.look(_v6(last + 1)).tor] == [1.0, 0.0]


def _v6(value: int) -> str:
    return ":".join(f"{value >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))


def test_an_operator_s_facts_stand_above_the_shipped_ones_each_for_itself(
    watched: WatchedFolder,
) -> None:
    watched.drop("c.mmdb", mmdb.make({"49.0.0.0/24": {"country_code": "AT"}}, built=BUILT))
    watched.feeds.refresh()
    assert watched.look() == AddressFacts("AT", 3269, "Telecom Italia")
    watched.drop("asn.csv", "49.0.0.0/24,64500\n45.0.0.0/24,24940\n")
    watched.feeds.refresh()
    assert watched.look() == AddressFacts("AT", 64500, None)
    # The same network, of which only the shipped table knows the name.
    assert watched.look(HOSTED) == AddressFacts("DE", 24940, "Hetzner", hosting=1.0)


def test_of_two_files_the_younger_one_is_right_and_the_other_fills_in(
    watched: WatchedFolder,
) -> None:
    watched.drop("country-a.csv", dated(9, "49.0.0.0/24,AT", "49.0.1.0/24,HU"))
    watched.drop("country-b.csv", dated(2, "49.0.0.0/24,SI"))
    watched.feeds.refresh()
    assert [watched.look(one).country for one in (HOME, "49.0.1.1")] == ["SI", "HU"]


def test_ipv4_is_found_in_a_database_of_ipv6_even_when_wrapped(watched: WatchedFolder) -> None:
    rows = {"8.8.8.0/24": {"country_code": "US"}, "2a00:1450::/32": {"country_code": "IE"}}
    watched.drop("c.mmdb", mmdb.make(rows, built=BUILT))
    watched.feeds.refresh()
    asked = ("8.8.8.8", "::ffff:8.8.8.8", "2002:808:808::", "2a00:1450::1", "2a00:1451::1")
    assert [watched.look(one).country for one in asked] == ["US", "US", "US", "IE", None]


# ---- Age ---------------------------------------------------------------------------------------


def test_what_lists_say_counts_for_less_as_they_grow_old(watched: WatchedFolder) -> None:
    watched.drop("tor.txt", dated(20, "49.0.0.1"))
    watched.drop("hosting.txt", dated(20, "49.0.0.1"))
    watched.feeds.refresh()
    facts = watched.look()
    assert facts.tor == pytest.approx(trust(20, "tor"))
    assert 0.3 < facts.tor < 0.7
    assert facts.hosting == 1.0
    assert watched.look(day=DAY + 1000).tor == pytest.approx(trust(1020, "tor"))
    assert watched.look(day=DAY + 1000).tor > 0
    assert watched.look() == facts


def test_of_two_lists_of_a_kind_the_fresher_one_decides(watched: WatchedFolder) -> None:
    watched.drop("tor-a.txt", dated(100, "49.0.0.0/24"))
    watched.drop("tor-b.txt", dated(0, "49.0.0.1"))
    watched.feeds.refresh()
    assert watched.look().tor == 1.0
    assert 0 < watched.look("49.0.0.2").tor < 0.3


def test_a_date_far_ahead_keeps_nothing_fresh_and_is_not_the_youngest(
    watched: WatchedFolder,
) -> None:
    watched.drop("tor.txt", dated(-3, "49.0.0.1"))
    watched.drop("vpn.txt", dated(-2, "49.0.0.1"))
    watched.drop("country-c.csv", dated(-900, "49.0.0.0/24,AT"))
    watched.drop("country-b.csv", dated(700, "49.0.0.0/24,SI"))
    watched.feeds.refresh()
    facts = watched.look()
    assert (facts.tor, facts.vpn, facts.country) == (trust(None, "tor"), 1.0, "SI")


def test_days_may_alternate(watched: WatchedFolder) -> None:
    watched.drop("tor.txt", dated(0, "49.0.0.1"))
    watched.feeds.refresh()
    found = [watched.look(day=DAY + late).tor for late in (0, 30, 0, 30)]
    assert found == [1.0, trust(30, "tor")] * 2


def test_a_database_ages_by_its_build_each_flag_in_its_own_way(watched: WatchedFolder) -> None:
    record = {"is_tor_exit_node": True, "is_hosting_provider": True, "is_anonymous_vpn": True}
    old = mmdb.make({"49.0.0.0/24": record}, "GeoIP2-Anonymous-IP", built=BUILT - 60 * 86_400)
    watched.drop("a.mmdb", old)
    watched.feeds.refresh()
    facts = watched.look()
    assert (facts.tor, facts.vpn, facts.hosting) == pytest.approx(
        (trust(60, "tor"), trust(60, "vpn"), 1.0)
    )


def test_what_ships_ages_too_and_undated_data_is_believed_least(tmp_path: Path) -> None:
    old = WatchedFolder(tmp_path, Shipped("2024-01-01")).look(HOSTED)
    undated = WatchedFolder(tmp_path, Shipped(None)).look(HOSTED)
    assert 0 < undated.hosting < old.hosting < 1
    assert undated.hosting == trust(None, "networks")
    assert (old.country, undated.country) == ("DE", "DE")


# ---- Files that come, change and go ------------------------------------------------------------


def test_files_are_taken_up_changed_and_forgotten_without_a_restart(watched: WatchedFolder) -> None:
    assert watched.look().tor == 0
    watched.drop("tor.txt", "49.0.0.1\n")
    watched.feeds.refresh()
    assert (watched.look().tor, watched.look("49.0.0.2").tor) == (1.0, 0.0)
    watched.drop("tor.txt", "49.0.0.2\n")
    watched.feeds.refresh()
    assert (watched.look().tor, watched.look("49.0.0.2").tor) == (0.0, 1.0)
    assert watched.names() == ["networks", "tor.txt"]
    (watched.folder / "tor.txt").unlink()
    watched.feeds.refresh()
    assert watched.look("49.0.0.2").tor == 0
    assert watched.names() == ["networks"]


def test_nothing_is_read_again_while_nothing_changed(
    watched: WatchedFolder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "gatehouse.intel")
    watched.drop("tor.txt", "49.0.0.1\n")
    watched.drop("vpn.txt", "broken\n")
    for _ in range(5):
        watched.feeds.refresh()
        watched.now_ms += 2000
    told = [(record.getMessage(), record.__dict__["feed"]) for record in caplog.records]
    assert told == [("a feed was read", "tor.txt"), ("a feed was refused", "vpn.txt")]


def test_a_broken_file_is_not_tried_again_but_one_that_cannot_be_had_is(
    watched: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    disk_is_well = False

    def read(path: Path, form: Form) -> FeedFile:
        tried.append(path.name)
        if path.name == "vpn.txt" and not disk_is_well:
            raise FeedUnreadable("cannot be read: Input/output error")
        return read_feed(path, form)

    monkeypatch.setattr(feed_folder, "read_feed", read)
    watched.drop("tor.txt", "broken\n")
    watched.drop("vpn.txt", "49.0.0.1\n")
    assert len(watched.feeds.refresh()) == 2
    assert watched.feeds.refresh() == []
    disk_is_well = True
    watched.feeds.refresh()
    watched.feeds.refresh()
    assert tried == ["tor.txt", "vpn.txt", "vpn.txt", "vpn.txt"]
    assert watched.look().vpn == 1.0


def test_a_file_that_changes_while_it_is_read_is_read_later(
    watched: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def appended(data: bytes) -> Lines:
        with (watched.folder / "tor.txt").open("a") as file:
            file.write("49.0.0.2\n")
        return Lines(data)

    watched.drop("tor.txt", "49.0.0.1\nhalf a li")
    monkeypatch.setattr(feed_files, "Lines", appended)
    assert watched.feeds.refresh() == []
    assert [report.state for report in watched.feeds.reports()] == ["waiting"]


def test_a_file_that_is_replaced_before_it_is_read_is_read_later(
    watched: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced(path: Path, form: Form) -> FeedFile:
        watched.drop("tor.txt", "49.0.0.2\n", age_s=0)
        return read_feed(path, form)

    watched.drop("tor.txt", "49.0.0.1\n")
    monkeypatch.setattr(feed_folder, "read_feed", replaced)
    assert watched.feeds.refresh() == []
    assert watched.look("49.0.0.2").tor == 0
    assert [report.state for report in watched.feeds.reports()] == ["waiting"]


def test_a_file_that_is_still_being_written_waits(watched: WatchedFolder) -> None:
    path = watched.drop("tor.txt", "49.0.0.1\n", age_s=0)
    watched.feeds.refresh()
    assert watched.look().tor == 0
    assert watched.feeds.reports() == [
        FileReport("tor.txt", "waiting", "changed a moment ago; it is read when that is over")
    ]
    for length in (1, 2):
        watched.now_ms += 1000
        path.write_text("49.0.0.1\n" * 2 + "49." * length)
        os.utime(path, (watched.now_ms / 1000, watched.now_ms / 1000))
        assert watched.feeds.refresh() == []
        assert watched.look().tor == 0
    path.write_text("49.0.0.1\n49.0.0.2\n")
    os.utime(path, (watched.now_ms / 1000, watched.now_ms / 1000))
    watched.feeds.refresh()
    watched.feeds.refresh()
    assert watched.look("49.0.0.2").tor == 1.0
    assert watched.feeds.reports() == []


def test_a_file_of_a_wrong_clock_is_read_at_the_second_look(watched: WatchedFolder) -> None:
    watched.drop("tor.txt", "49.0.0.1\n", age_s=-86_400)
    watched.feeds.refresh()
    assert watched.look().tor == 0
    watched.feeds.refresh()
    assert watched.look().tor == 1.0


def test_a_broken_file_is_refused_once_and_the_earlier_one_stays(
    watched: WatchedFolder, caplog: pytest.LogCaptureFixture
) -> None:
    watched.drop("tor.txt", "49.0.0.1\n")
    watched.feeds.refresh()
    watched.drop("tor.txt", "49.0.0.2\n49.0.0.\n")
    refusals = watched.feeds.refresh()
    assert refusals == ["tor.txt line 2: '49.0.0.' is no address, network or range of addresses"]
    for _ in range(3):
        assert watched.feeds.refresh() == []
    assert (watched.look().tor, watched.look("49.0.0.2").tor) == (1.0, 0.0)
    assert watched.feeds.reports() == [
        FileReport("tor.txt", "refused", refusals[0].removeprefix("tor.txt "), earlier_in_use=True)
    ]
    warnings = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert warnings[0].__dict__["reason"].startswith("line 2: ")
    watched.drop("tor.txt", "49.0.0.2\n")
    assert watched.feeds.refresh() == []
    assert watched.feeds.reports() == []
    assert watched.look("49.0.0.2").tor == 1.0


def test_another_broken_version_is_refused_anew(watched: WatchedFolder) -> None:
    for line in ("a", "b"):
        watched.drop("tor.txt", f"{line}\n")
        assert len(watched.feeds.refresh()) == 1
    assert watched.refused()["tor.txt"].startswith("line 1: 'b'")


def test_a_broken_file_goes_with_all_that_is_known_of_it(watched: WatchedFolder) -> None:
    watched.drop("tor.txt", "49.0.0.1\n")
    watched.feeds.refresh()
    watched.drop("tor.txt", "?\n")
    watched.feeds.refresh()
    (watched.folder / "tor.txt").unlink()
    watched.feeds.refresh()
    assert watched.look().tor == 0
    assert watched.feeds.reports() == []


def test_a_database_that_was_cut_off_leaves_the_earlier_one(watched: WatchedFolder) -> None:
    content = mmdb.make({"49.0.0.0/24": {"country_code": "AT"}}, built=BUILT)
    path = watched.drop("c.mmdb", content)
    watched.feeds.refresh()
    # Written over in place, as `cp` does, not replaced.
    path.write_bytes(content[:200])
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    assert watched.feeds.refresh() == ["c.mmdb is no MaxMind database, or was cut off"]
    assert watched.look().country == "AT"
    assert watched.names() == ["networks", "c.mmdb"]


def test_names_without_a_rule_are_reported_and_others_ignored(watched: WatchedFolder) -> None:
    for name in ("list.txt", "tor.txt.part", ".hidden.txt", "README.md", "vpn.tmp"):
        watched.drop(name, "49.0.0.1\n")
    (watched.folder / "tor.txt").mkdir()
    assert watched.feeds.refresh() == []
    assert watched.feeds.reports() == [
        FileReport("list.txt", "not recognised", "no rule fits its name"),
        FileReport("tor.txt", "not recognised", "is a folder"),
    ]


def test_a_file_that_became_a_folder_is_no_longer_in_use(watched: WatchedFolder) -> None:
    for content in ("49.0.0.1\n", "?\n"):
        watched.drop("tor.txt", content)
        watched.feeds.refresh()
    assert watched.look().tor == 1.0
    (watched.folder / "tor.txt").unlink()
    (watched.folder / "tor.txt").mkdir()
    watched.feeds.refresh()
    assert watched.look().tor == 0
    assert watched.names() == ["networks"]
    assert watched.feeds.reports() == [FileReport("tor.txt", "not recognised", "is a folder")]


def test_one_odd_file_does_not_keep_others_from_being_read(
    watched: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(lines: Lines) -> frozenset[str]:
        raise ZeroDivisionError

    monkeypatch.setattr(feed_files, "read_countries", read)
    watched.drop("blocked-countries.txt", "IT\n")
    watched.drop("tor.txt", "49.0.0.1\n")
    assert watched.feeds.refresh() == [
        "blocked-countries.txt cannot be understood: ZeroDivisionError"
    ]
    assert watched.feeds.refresh() == []
    assert watched.look().tor == 1.0


def test_a_database_without_room_is_copied_again_after_a_minute(
    watched: WatchedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def read(path: Path, form: Form) -> FeedFile:
        tried.append(path.name)
        return read_feed(path, form)

    monkeypatch.setattr(feed_folder, "read_feed", read)
    watched.drop("c.mmdb", mmdb.make({"49.0.0.0/24": {"country_code": "AT"}}, built=BUILT))
    with monkeypatch.context() as full:
        full.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        told = watched.feeds.refresh()
        assert told == ["c.mmdb cannot be copied to the folder TMPDIR: No such file or directory"]
        for _ in range(29):
            watched.now_ms += 2000
            assert watched.feeds.refresh() == []
        assert len(tried) == 1
    watched.now_ms += 4000
    watched.feeds.refresh()
    watched.feeds.refresh()
    assert (len(tried), watched.look().country, watched.feeds.reports()) == (2, "AT", [])


def test_that_all_feeds_are_gone_is_worth_a_warning(
    watched: WatchedFolder, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("tor.txt", "vpn.txt"):
        watched.drop(name, "49.0.0.1\n")
    watched.feeds.refresh()
    (watched.folder / "tor.txt").unlink()
    watched.feeds.refresh()
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]
    (watched.folder / "vpn.txt").unlink()
    watched.feeds.refresh()
    watched.feeds.refresh()
    warned = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert warned == ["all feeds are gone from the folder"]


def test_a_link_to_nowhere_is_refused_until_it_leads_somewhere(watched: WatchedFolder) -> None:
    (watched.folder / "tor.txt").symlink_to(".data/list")
    assert watched.feeds.refresh() == ["tor.txt cannot be read: No such file or directory"]
    assert watched.feeds.refresh() == []
    (watched.folder / ".data").mkdir()
    watched.drop(".data/list", "49.0.0.1\n")
    assert watched.feeds.refresh() == []
    assert watched.feeds.reports() == []
    assert watched.look().tor == 1.0


def test_a_folder_that_is_away_takes_nothing_with_it(
    watched: WatchedFolder, tmp_path: Path
) -> None:
    watched.drop("tor.txt", "49.0.0.1\n")
    watched.feeds.refresh()
    away = tmp_path.rename(tmp_path.with_name("away"))
    assert watched.feeds.refresh() == [f"{tmp_path}: cannot be read: No such file or directory"]
    assert watched.feeds.refresh() == []
    assert watched.look().tor == 1.0
    assert watched.refused() == {".": "cannot be read: No such file or directory"}
    away.rename(tmp_path)
    assert watched.feeds.refresh() == []
    assert watched.feeds.reports() == []


def test_a_name_that_is_no_text_can_be_shown(watched: WatchedFolder) -> None:
    watched.drop(os.fsdecode(b"tor-\xff\x1b.txt"), "49.0.0.1\n")
    watched.feeds.refresh()
    assert watched.names() == [
        "networks",
        "tor-\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.txt",
    ]
    assert watched.look().tor == 1.0


# ---- Threads -----------------------------------------------------------------------------------


def test_lookups_see_all_of_the_old_or_all_of_the_new(watched: WatchedFolder) -> None:
    """Files are replaced over and over while another thread asks."""
    seen: set[tuple[str | None, float, float]] = set()
    done = threading.Event()
    problems: list[BaseException] = []

    def ask() -> None:
        try:
            while not done.is_set():
                facts = watched.look()
                seen.add((facts.country, facts.tor, facts.vpn))
        except BaseException as problem:
            problems.append(problem)

    asking = threading.Thread(target=ask)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        asking.start()
        for turn in range(40):
            country, kind = ("AT", "tor") if turn % 2 else ("HU", "vpn")
            rows = {"49.0.0.0/24": {"country_code": country}}
            watched.drop("c.mmdb", mmdb.make(rows, built=BUILT))
            watched.drop("tor.txt", "49.0.0.1\n" if kind == "tor" else "9.9.9.9\n")
            watched.drop("vpn.txt", "49.0.0.1\n" if kind == "vpn" else "9.9.9.9\n")
            watched.feeds.refresh()
    finally:
        done.set()
        asking.join(PATIENCE_S)
        sys.setswitchinterval(usual)
    assert problems == []
    assert {("AT", 1.0, 0.0), ("HU", 0.0, 1.0)} <= seen
    assert seen <= {("IT", 0.0, 0.0), ("AT", 1.0, 0.0), ("HU", 0.0, 1.0)}


def _turns(*steps: Callable[[], object]) -> tuple[Callable[[float], bool], list[float]]:
    """A wait that does a step each time that it is asked to wait, and then says stop."""
    waited: list[float] = []
    left: Iterator[Callable[[], object]] = iter(steps)

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        step = next(left, None)
        if step is None:
            return True
        step()
        return False

    return wait, waited


def test_a_thread_looks_every_two_seconds_and_outlives_surprises(
    watched: WatchedFolder, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts: list[float] = []
    refresh = watched.feeds.refresh

    def stumble(most_bytes: int | None = None) -> list[str]:
        monkeypatch.setattr(watched.feeds, "refresh", refresh)
        raise RuntimeError("a surprise")

    wait, waited = _turns(
        lambda: monkeypatch.setattr(watched.feeds, "refresh", stumble),
        lambda: watched.drop("tor.txt", "49.0.0.1\n"),
        lambda: facts.append(watched.look().tor),
    )
    interval = sys.getswitchinterval()
    watched.feeds.start(wait)
    watched.feeds.start(wait)
    watched.feeds.stop()
    assert waited == [EVERY_S] * 4
    assert facts == [1.0]
    assert sys.getswitchinterval() == interval
    assert [one.getMessage() for one in caplog.records if one.exc_info] == [
        "could not look at the folder of feeds"
    ]


def test_a_start_waits_for_small_files_and_not_for_large_ones(
    watched: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    large_may_be_read = threading.Event()

    def read(path: Path, form: Form) -> FeedFile:
        if path.name == "asn.csv":
            assert large_may_be_read.wait(PATIENCE_S)
        return read_feed(path, form)

    monkeypatch.setattr(feed_folder, "read_feed", read)
    monkeypatch.setattr(feeds, "FIRST_S", 60.0)
    monkeypatch.setattr(feeds, "SMALL_BYTES", 100)
    watched.drop("asn.csv", "49.0.0.0/24,64500\n" * 10)
    watched.drop("blocked.txt", "49.0.0.1\n")
    wait, _ = _turns()
    watched.feeds.start(wait)
    try:
        assert (watched.look().blocked, watched.look().asn) == (True, 3269)
    finally:
        large_may_be_read.set()
        watched.feeds.stop()
    assert (watched.look().blocked, watched.look().asn) == (True, 64500)


def test_a_start_never_waits_for_long_and_never_fails(
    watched: WatchedFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    share_is_back = threading.Event()

    def hang(most_bytes: int | None = None) -> list[str]:
        assert share_is_back.wait(PATIENCE_S)
        raise RuntimeError("a surprise")

    monkeypatch.setattr(watched.feeds, "refresh", hang)
    monkeypatch.setattr(feeds, "FIRST_S", 0.0)
    wait, waited = _turns()
    watched.feeds.start(wait)
    assert waited == [], "the first look is not over"
    share_is_back.set()
    watched.feeds.stop()
    assert waited == [EVERY_S]
    assert len([one for one in caplog.records if one.exc_info]) == 2


def test_a_file_that_is_being_written_at_the_start_is_not_read_twice_as_fast(
    watched: WatchedFolder,
) -> None:
    watched.drop("tor.txt", "49.0.0.1\n", age_s=0)
    wait, _ = _turns()
    watched.feeds.start(wait)
    watched.feeds.stop()
    assert watched.look().tor == 0
    assert [report.state for report in watched.feeds.reports()] == ["waiting"]


def test_the_thread_stops_at_once_and_can_be_started_again(watched: WatchedFolder) -> None:
    before = threading.active_count()
    for _ in range(2):
        watched.feeds.start()
        assert threading.active_count() == before + 1
        watched.feeds.stop()
        assert threading.active_count() == before
    Feeds(Shipped(), None, lambda: 0).start()
    assert threading.active_count() == before
