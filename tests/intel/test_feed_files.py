"""The text files of an operator: how they are recognised, read and refused."""

import os
from pathlib import Path

import pytest

from gatehouse.intel.addresses import Address, read_address
from gatehouse.intel.agents.claims import NOTHING, Claims, Refused
from gatehouse.intel.feeds import files as feed_files
from gatehouse.intel.feeds import lines as feed_lines
from gatehouse.intel.feeds.files import (
    FeedFile,
    FeedUnreadable,
    Form,
    is_ignored,
    read_feed,
    recognise,
)
from gatehouse.intel.feeds.tables import Table
from gatehouse.intel.ranges import Segments


def address(text: str) -> Address:
    found = read_address(text)
    assert found is not None
    return found


def read(folder: Path, name: str, content: str | bytes) -> FeedFile:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    form = recognise(name)
    assert form is not None
    return read_feed(path, form)


def listed(file: FeedFile, text: str) -> bool:
    assert isinstance(file.content, Segments)
    found = address(text)
    return file.content.find(found.version, found.value) > 0


def told(file: FeedFile, text: str) -> Claims:
    assert isinstance(file.content, Table)
    return file.content.claims(address(text))


def refusal(folder: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(Refused) as refused:
        read(folder, name, content)
    return str(refused.value)


# ---- Names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shape", "kind"),
    [
        ("GeoLite2-Country.mmdb", "database", "database"),
        ("tor.txt", "list", "tor"),
        ("torbulkexitlist.txt", "list", "tor"),
        ("TOR-exits.TXT", "list", "tor"),
        ("vpn-ipv4.list", "list", "vpn"),
        ("proxy_30d.ipset", "list", "proxy"),
        ("hosting.netset", "list", "hosting"),
        ("relay-icloud.csv", "table", "relay"),
        ("mobile.txt", "list", "mobile"),
        ("blocked.txt", "list", "blocked"),
        ("blocked-countries.txt", "countries", "blocked-countries"),
        ("blocked-countries.csv", "countries", "blocked-countries"),
        ("blocked_countries.list", "countries", "blocked-countries"),
        ("Blocked-Country.csv", "countries", "blocked-countries"),
        ("blocked.csv", "table", "blocked"),
        ("allowed-office.txt", "list", "allowed"),
        ("country-ipv4.csv", "table", "country"),
        ("asn.csv", "table", "asn"),
    ],
)
def test_a_name_tells_how_a_file_is_read(name: str, shape: str, kind: str) -> None:
    found = recognise(name)
    assert found is not None
    assert (found.shape, found.kind) == (shape, kind)


@pytest.mark.parametrize(
    "name",
    ["notes.txt", "ipv4.txt", "tor", "tor.gz", "country.txt", "asn.list", "mmdb", "tor.mmdb.gz"],
)
def test_no_rule_fits_other_names(name: str) -> None:
    assert recognise(name) is None


@pytest.mark.parametrize(
    "name", [".tor.txt", "..data", "tor.txt.tmp", "x.mmdb.part", "README", "readme.md", "tor.txt~"]
)
def test_hidden_and_unfinished_files_are_ignored(name: str) -> None:
    assert is_ignored(name)


# ---- Lists -------------------------------------------------------------------------------------


def test_a_list_has_addresses_networks_ranges_comments_and_blank_lines(tmp_path: Path) -> None:
    content = (
        "\ufeff# Exits\n\n; and more\n198.41.0.4\n  8.8.8.0/24\r\n9.9.9.1 - 9.9.9.3 # a range\n"
        "2a00:1450::/32 ; SBL1\n\t\n#1.1.1.1\n2a00:1450:4001::5"
    )
    file = read(tmp_path, "tor.txt", content)
    assert file.feed.rows == 5
    inside = ("198.41.0.4", "8.8.8.255", "9.9.9.3", "2a00:1450:ffff::", "2a00:1450:4001::5")
    assert all(listed(file, one) for one in inside)
    outside = ("198.41.0.5", "8.8.9.0", "9.9.9.4", "2a00:1451::", "1.1.1.1")
    assert not any(listed(file, one) for one in outside)


def test_remarks_above_the_list_say_where_it_came_from(tmp_path: Path) -> None:
    content = "# A list\n# Source: The Tor Project\n#licence: CC0\n# date: 2026-10-05\n8.8.8.8\n"
    feed = read(tmp_path, "tor.txt", content).feed
    assert (feed.source, feed.licence, feed.date) == ("The Tor Project", "CC0", "2026-10-05")
    assert (feed.name, feed.kind, feed.rows, feed.origin) == ("tor.txt", "tor", 1, "operator")


def test_remarks_below_do_not_count_and_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    content = "# source: a\x1b[31mb\n8.8.8.8\n# licence: none\n# source: later\n"
    feed = read(tmp_path, "tor.txt", content).feed
    assert feed.source == "a\N{REPLACEMENT CHARACTER}[31mb"
    assert feed.licence == "not stated"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-10-05", "2026-10-05"),
        ("2026-10-05T23:59:00Z", "2026-10-05"),
        ("Mon, 05 Oct 2026 07:00:00 GMT", "2026-10-05"),
        ("yesterday", "2026-01-31"),
        ("Thu, 01 Jan 2026 00:00:00 -99999999999999999999", "2026-01-31"),
        ("", "2026-01-31"),
    ],
)
def test_without_a_date_that_can_be_read_the_file_s_own_counts(
    tmp_path: Path, written: str, expected: str
) -> None:
    path = tmp_path / "vpn.txt"
    path.write_text(f"# date: {written}\n8.8.8.8\n")
    os.utime(path, (1_769_817_600, 1_769_817_600))
    assert read_feed(path, Form("list", "vpn")).feed.date == expected


@pytest.mark.parametrize("changed_s", [300_000_000_000, -62_200_000_000])
def test_a_file_that_was_changed_in_no_known_year_has_no_date(
    tmp_path: Path, changed_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.stat_result((0o100644, 1, 1, 1, 0, 0, 8, changed_s, changed_s, changed_s))
    monkeypatch.setattr(os, "fstat", lambda _: found)
    monkeypatch.setattr(feed_files, "stamp_of", lambda _: (0, 0, 0, 0, 0))
    assert read(tmp_path, "vpn.txt", "8.8.8.8\n").feed.date is None


def test_a_surprise_refuses_the_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stumble(_: bytes) -> feed_lines.Lines:
        raise ZeroDivisionError

    monkeypatch.setattr(feed_files, "Lines", stumble)
    assert refusal(tmp_path, "tor.txt", "8.8.8.8\n") == "cannot be understood: ZeroDivisionError"
    assert [one.getMessage() for one in caplog.records if one.exc_info] == [
        "a feed could not be understood"
    ]


def test_a_list_of_proxies_may_have_ports(tmp_path: Path) -> None:
    file = read(tmp_path, "proxy.txt", "8.8.8.8:8080\n9.9.9.9:3128 # fast\n")
    assert [listed(file, one) for one in ("8.8.8.8", "9.9.9.9", "8.8.8.9")] == [True, True, False]


def test_a_list_may_wrap_addresses_as_a_caller_does(tmp_path: Path) -> None:
    file = read(tmp_path, "tor.txt", "2002:808:808::/48\n64:ff9b::9.9.9.9\n")
    assert listed(file, "8.8.8.8")
    assert listed(file, "2002:808:808::1")
    assert listed(file, "64:ff9b::9.9.9.9")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"8.8.8.8\n\n# x\n8.8.8.\n", "line 4: '8.8.8.' is no address, network or range"),
        (b"<html>\n", "line 1: '<html>' is no address"),
        (b"8.8.8.8\n0.0.0.0/0\n", "line 2: '0.0.0.0/0' would be every address there is"),
        (b"8.8.8.8 tor\n", "line 1: '8.8.8.8 tor' is no address"),
        (b"8.8.8.8\n9.9.9.\xff9\n", "line 2: is not UTF-8 text"),
        ("8.8.8.8\n".encode("utf-16"), "line 1: is not UTF-8 text"),
        (b"8\x00.\x008\x00\n", r"line 1: '8\x00.\x008\x00' is no address"),
        ("9" * 100 + "\n", f"line 1: '{'9' * 40}...' is no address"),
        (b"", "holds no row; delete it if it shall not be used"),
        (b"# nothing\n", "holds no row"),
    ],
)
def test_one_line_that_cannot_be_read_refuses_the_list(
    tmp_path: Path, content: bytes | str, reason: str
) -> None:
    assert refusal(tmp_path, "tor.txt", content).startswith(reason)


@pytest.mark.parametrize("name", ["blocked.txt", "allowed.txt", "blocked-countries.txt"])
def test_lists_of_the_operator_s_own_may_be_empty(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, name, "# none at present\n").feed.rows == 0


def test_a_list_of_blocked_countries_has_codes(tmp_path: Path) -> None:
    file = read(tmp_path, "blocked-countries.txt", "kp\nIR, SY # why\n\n")
    assert file.content == frozenset({"KP", "IR", "SY"})
    assert read(tmp_path, "blocked-countries.csv", "KP\n").content == frozenset({"KP"})
    assert read(tmp_path, "blocked_countries.csv", "KP,IR\n").content == frozenset({"KP", "IR"})
    reason = refusal(tmp_path, "blocked-countries.txt", "KP\nIran\n")
    assert reason == "line 2: 'Iran' is no country's code of two letters"


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_files, "MAX_TEXT_BYTES", 1 << 20)
    assert refusal(tmp_path, "tor.txt", b"#" * (1 << 20) + b"\n") == "is larger than 1 MiB"
    monkeypatch.setattr(feed_lines, "MAX_ROWS", 2)
    reason = refusal(tmp_path, "tor.txt", "8.8.8.8\n#\n8.8.8.9\n8.8.8.10\n")
    assert reason == "line 4: there are more than 2 rows"


def test_a_pipe_does_not_keep_the_reader_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tor.txt")
    with pytest.raises(Refused, match="is not a file"):
        read_feed(tmp_path / "tor.txt", Form("list", "tor"))


def test_what_is_not_there_may_be_there_later(tmp_path: Path) -> None:
    with pytest.raises(FeedUnreadable, match="cannot be read: No such file or directory"):
        read_feed(tmp_path / "tor.txt", Form("list", "tor"))


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("8.8.8.8\n")
    (tmp_path / "tor.txt").symlink_to("data")
    assert listed(read_feed(tmp_path / "tor.txt", Form("list", "tor")), "8.8.8.8")


# ---- Tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "8.8.8.0,8.8.8.255,US\n2a00:1450::,2a00:1450:ffff:ffff:ffff:ffff:ffff:ffff,IE\n",
        '"8.8.8.0","8.8.8.255","US"\n"2a00:1450::","2a00:1450:7fff::","IE"\n',
        "8.8.8.0/24,us\n2a00:1450::/32,ie\n",
        "network,country\n8.8.8.0/24,US\n2a00:1450::/32,IE\n",
        f"134744064,134744319,US\n{0x2A001450 << 96},{(0x2A001451 << 96) - 1},IE\n",
        "# source: x\nstart_ip, end_ip, continent, country_code\n8.8.8.0, 8.8.8.255, NA, US\n"
        "2a00:1450::, 2a00:1450:ffff:ffff:ffff:ffff:ffff:ffff, EU, IE\n",
        "network,country,country_code,asn\n8.8.8.0/24,United States,US,AS15169\n"
        "2a00:1450::/32,Ireland,IE,AS15169\n",
    ],
)
def test_a_table_of_countries_is_read_in_each_layout(tmp_path: Path, content: str) -> None:
    file = read(tmp_path, "country.csv", content)
    assert (file.feed.kind, file.feed.rows) == ("country", 2)
    found = [
        told(file, one).country for one in ("8.8.8.8", "2a00:1450:4001::", "8.8.9.0", "2a01::")
    ]
    assert found == ["US", "IE", None, None]


@pytest.mark.parametrize(
    "content",
    [
        '8.8.8.0,8.8.8.255,15169,"Google, Inc."\n9.9.9.0,9.9.9.255,AS19281,\n',
        '8.8.8.0/24,AS15169,"Google, Inc."\n9.9.9.0/24,19281\n',
        'network,as_name,asn\n8.8.8.0/24,"Google, Inc.",15169\n9.9.9.0/24,,19281\n',
        '134744064,134744319,15169,"Google, Inc."\n151587072,151587327,19281\n',
    ],
)
def test_a_table_of_networks_has_numbers_and_perhaps_names(tmp_path: Path, content: str) -> None:
    file = read(tmp_path, "asn.csv", content)
    assert told(file, "8.8.8.8") == Claims(asn=15169, organisation="Google, Inc.")
    assert told(file, "9.9.9.9") == Claims(asn=19281)
    assert told(file, "1.1.1.1") is NOTHING


def test_a_table_may_say_that_it_does_not_know(tmp_path: Path) -> None:
    countries = read(tmp_path, "country.csv", "8.8.8.0/24,ZZ\n9.9.9.0/24,\n1.1.1.0/24,AU\n")
    networks = read(tmp_path, "asn.csv", "8.8.8.0/24,0,Not routed\n1.1.1.0/24,13335,CF\n")
    assert (countries.feed.rows, networks.feed.rows) == (1, 1)
    assert told(countries, "8.8.8.8") is told(networks, "8.8.8.8") is NOTHING


def test_a_table_of_the_whole_space_has_rows_around_what_wraps_addresses(tmp_path: Path) -> None:
    content = (
        "2001::,2001:0:ffff:ffff:ffff:ffff:ffff:ffff,ZZ\n"
        "2001:ffff::,2002:7ff:ffff:ffff:ffff:ffff:ffff:ffff,FR\n"
        "2002:800::,2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff,ZZ\n"
        "64:ff9b::,64:ff9b::ffff:ffff,US\n2a00:1450::,2a00:1450:ffff::,IE\n"
    )
    file = read(tmp_path, "country.csv", content)
    found = [told(file, one).country for one in ("2001:ffff::1", "2a00:1450::1", "8.8.8.8")]
    assert found == ["FR", "IE", None]


def test_of_networks_within_networks_the_smaller_one_counts(tmp_path: Path) -> None:
    file = read(tmp_path, "country.csv", "8.8.8.0/24,CA\n8.0.0.0/8,US\n")
    assert [told(file, one).country for one in ("8.8.8.8", "8.8.9.8")] == ["CA", "US"]


@pytest.mark.parametrize(
    "content",
    ["8.8.8.0/24\n", "8.8.8.0,8.8.8.255,nl,x\n", "8.8.8.0/24,DE,Berlin\n", "ip\n8.8.8.8\n"],
)
def test_a_list_may_be_a_table_too(tmp_path: Path, content: str) -> None:
    file = read(tmp_path, "relay.csv", content)
    assert (file.feed.kind, listed(file, "8.8.8.8"), listed(file, "8.8.9.8")) == (
        "relay",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("country.csv", "8.8.8.0/24,US\n9.9.9.0/24,Germany\n", "line 2: 'Germany' is no country's"),
        ("country.csv", "network,country\n8.8.8.300/24,US\n", "line 2: '8.8.8.300/24' is no addr"),
        ("country.csv", "8.8.8.300,8.8.8.9,US\n", "line 1: '8.8.8.300,8.8.8.9' is no address"),
        ("country.csv", "8.8.8.9,8.8.8.1,US\n", "line 1: '8.8.8.9,8.8.8.1' is no address"),
        ("country.csv", "1,2,US\n9,x,US\n", "line 2: '9,x' is no address"),
        ("country.csv", "8.8.8.0,8.8.8.9,US\n9.9.9.0,9.9.9,US\n", "line 2: is laid out in another"),
        ("country.csv", "8.8.8.0/24,US\n9.9.9.300/24,ZZ\n", "line 2: '9.9.9.300/24' is no address"),
        ("country.csv", "0.0.0.0/0,US\n", "line 1: '0.0.0.0/0' would be every address there is"),
        ("country.csv", "network,geoname_id\n8.8.8.0/24,6252001\n", "line 2: '6252001' is no coun"),
        ("country.csv", '8.8.8.0/24,"US\n', "line 1: is no CSV"),
        ("country.csv", "network,country\n", "holds no row"),
        ("asn.csv", "8.8.8.0/24,Google\n", "line 1: 'Google' is no number of a network"),
        ("asn.csv", "8.8.8.0/24,AS4294967296\n", "line 1: 'AS4294967296' is no number"),
        ("proxy.csv", "ip,port\nport,ip\n", "line 2: 'port' is no address"),
    ],
)  # fmt: skip
def test_one_row_that_cannot_be_read_refuses_the_table(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    assert refusal(tmp_path, name, content).startswith(reason)
