"""Databases in the MaxMind format, as their publishers lay them out."""

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from gatehouse.intel.addresses import read_address
from gatehouse.intel.agents.claims import NOTHING, Claims, NoRoom, Refused
from gatehouse.intel.databases import AddressDatabase, copy_database
from gatehouse.intel.feeds import files as feed_files
from gatehouse.intel.feeds.files import FeedFile, Form, read_feed
from tests.intel import mmdb

NAMES = {"de": "Vereinigte Staaten", "en": "United States"}
MAXMIND_COUNTRY = {
    "continent": {"code": "NA", "names": {"en": "North America"}},
    "country": {"geoname_id": 6252001, "iso_code": "US", "names": NAMES},
    "registered_country": {"geoname_id": 6252001, "iso_code": "CA", "names": NAMES},
}
US = {"country_code": "US"}
NETWORK = {"autonomous_system_number": 15169, "autonomous_system_organization": "GOOGLE"}
IPINFO_LITE = {
    "country": "United States",
    "country_code": "US",
    "continent": "North America",
    "asn": "AS15169",
    "as_name": "Google LLC",
    "as_domain": "google.com",
}


def opened(folder: Path, content: bytes) -> FeedFile:
    path = folder / "some.mmdb"
    path.write_bytes(content)
    return read_feed(path, Form("database", "database"))


def claims(file: FeedFile, text: str) -> Claims:
    found = read_address(text)
    assert found is not None
    assert isinstance(file.content, AddressDatabase)
    return file.content.claims(found)


@pytest.mark.parametrize(
    ("database_type", "record", "kind", "expected"),
    [
        ("GeoLite2-Country", MAXMIND_COUNTRY, "country", Claims("US")),
        ("GeoIP2-City", {**MAXMIND_COUNTRY, "city": {"names": NAMES}}, "country", Claims("US")),
        ("DBIP-Country-Lite", MAXMIND_COUNTRY, "country", Claims("US")),
        ("country ipvAll", US, "country", Claims("US")),
        ("ipinfo country.mmdb", {"country": "US", "country_name": "US"}, "country", Claims("US")),
        ("GeoLite2-ASN", NETWORK, "asn", Claims(None, 15169, "GOOGLE")),
        ("DBIP-ASN-Lite (compat=GeoLite2-ASN)", NETWORK, "asn", Claims(None, 15169, "GOOGLE")),
        ("ipinfo asn.mmdb", {"asn": "AS15169", "name": "G"}, "asn", Claims(None, 15169, "G")),
        ("ipinfo lite", IPINFO_LITE, "country+asn", Claims("US", 15169, "Google LLC")),
        ("GeoIP2-Anonymous-IP", {"is_anonymous": True, "is_anonymous_vpn": True}, "anonymity",
         Claims(vpn=1.0)),
        ("GeoIP2-Anonymous-IP", {"is_hosting_provider": True, "is_tor_exit_node": True},
         "anonymity", Claims(hosting=1.0, tor=1.0)),
        ("GeoIP2-Anonymous-IP", {"is_public_proxy": True}, "anonymity", Claims(proxy=1.0)),
        ("GeoIP2-Anonymous-IP", {"is_residential_proxy": True}, "anonymity", Claims(proxy=1.0)),
        ("GeoIP-Anonymous-Plus", {"is_anonymous_vpn": True, "anonymizer_confidence": 30,
         "provider_name": "x"}, "anonymity", Claims(vpn=0.3)),
        ("ipinfo standard_privacy.mmdb", {"vpn": "true", "proxy": "", "tor": "", "relay": "",
         "hosting": "true", "service": "x"}, "anonymity", Claims(vpn=1.0, hosting=1.0)),
        ("ipinfo standard_privacy.mmdb", {"vpn": False, "relay": True, "tor": False},
         "anonymity", Claims(relay=1.0)),
    ],
)  # fmt: skip
def test_each_publisher_s_layout_is_understood(
    tmp_path: Path, database_type: str, record: dict[str, Any], kind: str, expected: Claims
) -> None:
    file = opened(tmp_path, mmdb.make({"8.8.8.0/24": record}, database_type))
    assert file.feed.kind == kind
    assert claims(file, "8.8.8.8") == expected
    assert claims(file, "8.8.9.8") == NOTHING


@pytest.mark.parametrize("record_bits", [24, 28, 32])
def test_ipv4_lies_at_the_bottom_of_a_tree_of_ipv6(tmp_path: Path, record_bits: int) -> None:
    rows = {
        "8.0.0.0/8": US,
        "8.8.8.0/25": {"country_code": "CA"},
        "8.8.8.7/32": {"country_code": "MX"},
        "2a00:1450::/32": {"country_code": "IE"},
        "2a00:1450:0:0:8000::/65": {"country_code": "NL"},
    }
    file = opened(tmp_path, mmdb.make(rows, record_bits=record_bits))
    expected = {
        "8.8.9.1": "US",
        "8.8.8.1": "CA",
        "8.8.8.7": "MX",
        "8.8.8.8": "CA",
        "8.8.8.200": "US",
        "::ffff:8.8.8.7": "MX",
        "2a00:1450::1": "IE",
        "2a00:1450::8000:0:0:1": "NL",
        "2a00:1450:1::": "IE",
        "2a01::": None,
    }
    # Twice, because what a whole network shares is remembered.
    for _ in range(2):
        assert {text: claims(file, text).country for text in expected} == expected


def test_a_tree_of_ipv4_says_nothing_about_ipv6(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = opened(tmp_path, mmdb.make({"8.8.8.0/24": US}, ip_version=4))
    assert claims(file, "8.8.8.8").country == "US"
    assert claims(file, "2a00:1450::1") is NOTHING
    assert caplog.records == []


@pytest.mark.parametrize(
    ("database_type", "source", "licence"),
    [
        ("GeoLite2-Country", "MaxMind GeoLite2-Country", "GeoLite2 End User License Agreement"),
        ("GeoIP2-Country", "MaxMind GeoIP2-Country", "MaxMind's agreement"),
        ("DBIP-Country-Lite", "DB-IP DBIP-Country-Lite", "CC BY 4.0"),
        ("DBIP-Country", "DB-IP DBIP-Country", "DB-IP's agreement"),
        ("ipinfo lite.mmdb", "IPinfo ipinfo lite.mmdb", "CC BY-SA 4.0"),
        ("country ipv4", "country ipv4", "not stated"),
    ],
)
def test_the_type_says_who_published_it_and_the_build_when(
    tmp_path: Path, database_type: str, source: str, licence: str
) -> None:
    rows = {"8.8.8.0/24": MAXMIND_COUNTRY}
    feed = opened(tmp_path, mmdb.make(rows, database_type, built=1_780_345_978)).feed
    assert (feed.source, feed.licence, feed.date) == (source, licence, "2026-06-01")
    assert feed.rows > 0


@pytest.mark.parametrize("built", [2**40, 2**63, 2**64 - 1])
def test_a_build_beyond_all_calendars_has_the_file_s_date(tmp_path: Path, built: int) -> None:
    feed = opened(tmp_path, mmdb.make({"8.8.8.0/24": US}, built=built)).feed
    assert feed.date is not None
    assert "2020" < feed.date < "2100"


def test_records_that_say_nothing_are_nothing(tmp_path: Path) -> None:
    rows: dict[str, Any] = {
        "1.0.0.0/8": {},
        "2.0.0.0/8": {"country_code": "ZZ"},
        "3.0.0.0/8": {"country": {"names": NAMES}},
        "4.0.0.0/8": "US",
        "5.0.0.0/8": {"country_code": 7, "asn": "seven", "vpn": 2},
        "6.0.0.0/8": {"asn": "AS7", "as_name": ["x"]},
    }
    file = opened(tmp_path, mmdb.make(rows))
    assert all(claims(file, f"{top}.1.1.1") == NOTHING for top in range(1, 6))
    assert claims(file, "6.1.1.1") == Claims(asn=7)


def test_a_database_of_anonymity_may_begin_with_records_that_say_nothing(tmp_path: Path) -> None:
    rows: dict[str, Any] = {f"{top}.{one}.0.0/16": {} for top in (1, 2) for one in range(256)}
    rows["223.9.0.0/16"] = {"is_anonymous_vpn": True}
    file = opened(tmp_path, mmdb.make(rows, "GeoIP2-Anonymous-IP"))
    assert file.feed.kind == "anonymity"
    assert claims(file, "223.9.1.1").vpn == 1.0


def test_what_is_no_database_or_of_no_use_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = mmdb.make({"8.8.8.0/24": US})
    useless = mmdb.make({"8.8.8.0/24": {"domain": "example.com"}}, "GeoIP2-Domain")
    cut = "is no MaxMind database, or was cut off"
    for content, reason in [
        (b"", cut),
        (b"8.8.8.8\n", cut),
        (good[:-1], cut),
        (good[: len(good) // 2], cut),
        (good[600:], cut),
        (useless, "is a database of the type 'GeoIP2-Domain', whose records name neither"),
    ]:
        with pytest.raises(Refused, match=reason):
            opened(tmp_path, content)
    monkeypatch.setattr(feed_files, "MAX_DATABASE_BYTES", 100)
    with pytest.raises(Refused, match="is larger than 0 MiB"):
        opened(tmp_path, good)


def test_damage_is_seen_when_a_database_is_opened_or_passed_over_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = {f"{top}.{middle}.0.0/16": US for top in (7, 8, 9) for middle in range(256)}
    rows |= {"100.200.0.0/16": {"country_code": "CA"}}
    content = mmdb.make(rows)
    with pytest.raises(Refused, match="is damaged"):
        opened(tmp_path, content.replace(mmdb.encode(US), b"\xff" * len(mmdb.encode(US)), 1))
    # A text that is not UTF-8, in the one record that is not looked at beforehand.
    file = opened(tmp_path, content.replace(mmdb.encode("CA"), b"\x42\xff\xff"))
    assert claims(file, "8.8.8.8").country == "US"
    assert claims(file, "100.200.1.1") is NOTHING
    assert claims(file, "100.200.2.1") is NOTHING
    assert [record.getMessage() for record in caplog.records] == [
        "a database holds damaged records, which are passed over"
    ]


def test_a_database_is_not_touched_by_what_becomes_of_its_file(tmp_path: Path) -> None:
    rows = {f"{top}.0.0.0/8": US for top in range(1, 200)}
    file = opened(tmp_path, mmdb.make(rows))
    # Were the file itself mapped, the next lookup would end this process.
    (tmp_path / "some.mmdb").write_bytes(b"")
    assert claims(file, "8.8.8.8").country == "US"
    assert claims(file, "150.8.8.8").country == "US"


_READ = """
import sys
from pathlib import Path
from gatehouse.intel.agents.claims import Refused
from gatehouse.intel.feeds.files import Form, read_feed
for name in sys.argv[1:]:
    try:
        read_feed(Path(name), Form("database", "database"))
    except Refused:
        pass
print("alive")
"""


def test_a_damaged_tree_that_leads_in_circles_does_no_harm(tmp_path: Path) -> None:
    """The reader overruns its memory when it goes through all records of such a tree by itself."""
    content = mmdb.make({"1.0.0.0/8": MAXMIND_COUNTRY, "2.0.0.0/8": NETWORK, "2a00::/32": US})
    paths = []
    # Each node has six bytes. That the right half of one leads back to the second makes a circle.
    for node in (5, 6, 7):
        damaged = bytearray(content)
        damaged[node * 6 + 3 : node * 6 + 6] = b"\0\0\1"
        paths.append(tmp_path / f"{node}.mmdb")
        paths[-1].write_bytes(damaged)
    done = subprocess.run(
        [sys.executable, "-c", _READ, *map(str, paths)],
        check=False,
        capture_output=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, b"alive\n"), done.stderr


def test_damaged_metadata_refuse_the_file(tmp_path: Path) -> None:
    content = mmdb.make({"8.8.8.0/24": US})
    start = content.rindex(b"MaxMind.com") + len(b"MaxMind.com")
    refused = 0
    for place in range(start, len(content)):
        for value in (0, 0x40, 0x7F, 0xE0, 0xFF):
            damaged = bytearray(content)
            damaged[place] = value
            try:
                copy_database(io.BytesIO(damaged), 1 << 20)
            except Refused:
                refused += 1
    assert refused > 100


def test_a_database_may_know_only_few_addresses(tmp_path: Path) -> None:
    for network in ("203.0.113.7/32", "2a00:1450:4001::/48"):
        assert opened(tmp_path, mmdb.make({network: US})).feed.kind == "country"


def test_a_full_disk_for_temporary_files_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(NoRoom, match="cannot be copied to the folder TMPDIR: No such file or dir"):
        opened(tmp_path, mmdb.make({"8.8.8.0/24": US}))
