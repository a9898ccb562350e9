"""The table of networks: what it answers, what it refuses to load, how it is made and packed."""

import gzip
import json
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts import build_networks
from scripts.build_networks import (
    CLASSES,
    Merged,
    Table,
    class_of,
    describe,
    merge,
    pack,
    prove,
    read_rules,
    steps,
    tidy,
    without_unannounced,
)

from gatehouse.intel.addresses import Address, read_address
from gatehouse.intel.agents.claims import Claims
from gatehouse.intel.networks import (
    HOSTING,
    MAGIC,
    MOBILE,
    RELAY,
    VPN,
    NetworkPackage,
    PackedNetworks,
    load_networks,
    read_networks,
)
from gatehouse.intel.packed import PackedDataError

PACKAGE = NetworkPackage("npm example", "1.0", "https://example.org", "nobody", "2026-01-02", 3)
OLDER = NetworkPackage("npm older", "1.1", "https://example.org", "nobody", "2025-12-31", 3)
SMALL = Table(
    v4=[(0, (None, None)), (0x08080800, ("US", 15169)), (0x08080900, ("US", None))],
    v6=[(0, (None, None)), (0x2001_4860 << 32, ("FR", 9009)), (0x2001_4861 << 32, (None, None))],
    names={15169: "Google LLC", 9009: "M247 Europe SRL"},
    classes={15169: 0, 9009: HOSTING | VPN},
)


def at(text: str) -> Address:
    address = read_address(text)
    assert address is not None
    return address


def number(value: int) -> Address:
    return Address("", 4, value, "", is_public=True)


def repacked(payload: bytes) -> tuple[bytes, bytes]:
    packed = gzip.compress(payload, mtime=0)
    return packed, describe(packed, SMALL, [PACKAGE])


@pytest.fixture(scope="module")
def networks() -> PackedNetworks:
    return load_networks()


@pytest.fixture(scope="module")
def classes(networks: PackedNetworks) -> dict[int, set[str]]:
    systems = networks._systems
    pairs = zip(systems.numbers, systems.classes, strict=True)
    return {asn: {kind for kind, bit in CLASSES.items() if bits & bit} for asn, bits in pairs}


@pytest.fixture(scope="module")
def payload() -> bytes:
    return gzip.decompress(pack(SMALL))


# What the shipped table knows.


@pytest.mark.parametrize(
    ("text", "country", "asn", "holder"),
    [
        ("8.8.8.8", "US", 15169, "Google LLC"),
        ("1.1.1.1", "AU", 13335, "Cloudflare, Inc."),
        ("9.9.9.9", None, 19281, "Quad9"),
        ("73.158.64.1", "US", 7922, "Comcast Cable Communications, LLC"),
        ("88.198.50.1", "DE", 24940, "Hetzner Online GmbH"),
        ("51.38.1.1", "FR", 16276, "OVH SAS"),
        ("87.128.1.1", "DE", 3320, "Deutsche Telekom AG"),
        ("86.150.1.1", "GB", 2856, "British Telecommunications PLC"),
        ("90.1.1.1", "FR", 3215, "Orange S.A."),
        ("126.1.1.1", "JP", 17676, "SoftBank Corp."),
        ("172.58.1.1", "US", 21928, "T-Mobile USA, Inc."),
        ("41.13.1.1", "ZA", 36994, "Vodacom"),
        ("49.36.1.1", "IN", 55836, "Reliance Jio Infocomm Limited"),
        ("2001:4860:4860::8888", None, 15169, "Google LLC"),
        ("2606:4700:4700::1111", None, 13335, "Cloudflare, Inc."),
        ("2601:600::1", "US", 7922, "Comcast Cable Communications, LLC"),
        ("2a01:4f8::1", "DE", 24940, "Hetzner Online GmbH"),
        ("2003:d0::1", "DE", 3320, "Deutsche Telekom AG"),
        ("2409:4000::1", "IN", 55836, "Reliance Jio Infocomm Limited"),
        ("::ffff:8.8.8.8", "US", 15169, "Google LLC"),
    ],
)
def test_well_known_addresses_have_their_country_and_holder(
    networks: PackedNetworks, text: str, country: str | None, asn: int, holder: str
) -> None:
    row = networks.find(at(text))
    assert (row.asn, row.organisation) == (asn, holder)
    # Addresses that answer from everywhere have no country to check.
    assert country in (None, row.country)


@pytest.mark.parametrize("text", ["10.0.0.1", "127.0.0.1", "255.255.255.255", "::1", "4000::1"])
def test_addresses_outside_the_internet_belong_to_nobody(
    networks: PackedNetworks, text: str
) -> None:
    assert networks.find(at(text)) == Claims()


def test_a_row_says_the_class_of_its_network(networks: PackedNetworks) -> None:
    def row(text: str) -> tuple[float, float, float, float]:
        found = networks.find(at(text))
        return found.hosting, found.vpn, found.relay, found.mobile

    assert row("73.158.64.1") == (False, False, False, False)
    assert row("88.198.50.1") == (True, False, False, False)
    assert row("185.213.154.1") == (False, True, False, False)  # Mullvad
    assert row("104.28.28.1") == (False, False, True, False)  # iCloud Private Relay
    assert row("172.58.1.1") == (False, False, False, True)


# One line each, so that a change of the rules shows what it does.
HOSTS = {
    "Amazon": [16509, 14618, 8987],
    "Microsoft Azure": [8075],
    "Google Cloud": [396982],
    "Oracle Cloud": [31898],
    "IBM Cloud": [36351],
    "Alibaba": [37963, 45102, 134963],
    "Tencent": [45090, 132203],
    "Huawei Cloud": [55990, 136907],
    "OVH": [16276, 35540],
    "Hetzner": [24940, 213230],
    "DigitalOcean": [14061],
    "Linode": [63949],
    "Vultr": [20473],
    "Contabo": [51167, 40021],
    "Scaleway": [12876],
    "IONOS, Strato": [8560, 6724],
    "Leaseweb": [60781, 28753, 395954],
    "netcup": [197540],
    "Aeza": [210644, 216246],
    "IP Volume": [202425],
    "Selectel": [49505],
    "Hostinger, HostPapa": [47583, 36352],
    "Rackspace": [33070],
    "GoDaddy": [26496],
    "FranTech": [53667],
    "Psychz, QuadraNet": [40676, 8100],
    "Servers.com": [7979],
    "Clouvider": [62240],
    "Sakura": [9370],
    "Worldstream": [49981],
}
VPNS = {
    "NordVPN": [136787, 207137, 147049],
    "Surfshark": [209854],
    "Mullvad": [39351, 216025],
    "Proton VPN": [199218, 209103],
    "ExpressVPN": [206092],
    "Windscribe": [397540],
    "IVPN": [203619],
    "Oxylabs": [396319, 203061],
    "Tor": [60729, 396507],
}
HOSTS_OF_VPNS = {"M247": [9009, 16247], "Datacamp": [212238, 60068]}
RELAYS = {"Cloudflare": [13335], "Fastly": [54113], "Akamai": [36183, 20940]}
MOBILES = {
    "T-Mobile US": [21928],
    "Verizon Wireless": [6167, 22394],
    "AT&T Mobility": [20057],
    "Jio": [55836],
    "Airtel": [45609],
    "Vodafone Idea": [38266],
    "Three UK": [206067],
    "O2 UK": [35228],
    "Free Mobile": [51207],
    "Iliad Italia": [29447],
    "Turkcell": [16135],
    "Kyivstar": [15895],
    "Docomo": [9605],
    "SK Telecom": [9644],
    "China Mobile": [9808],
    "Telkomsel": [23693],
    "Safaricom": [33771],
    "Vodacom": [29975],
    "MTN Nigeria": [29465],
    "TIM, Vivo": [26615, 26599],
    "Telcel": [28403],
}
ORDINARY = {
    "Comcast": [7922],
    "Charter": [20115, 11427],
    "Cox": [22773],
    "AT&T": [7018],
    "Verizon": [701],
    "Deutsche Telekom": [3320],
    "Vodafone Germany": [3209],
    "Telefonica Germany": [6805],
    "Orange": [3215],
    "Free": [12322],
    "SFR": [15557],
    "BT": [2856],
    "Sky, Virgin": [5607, 5089],
    "Telefonica Spain": [3352],
    "Telecom Italia": [3269],
    "KPN": [1136],
    "Swisscom": [3303],
    "Telia": [3301],
    "Rostelecom": [12389],
    "NTT": [4713],
    "KDDI": [2516],
    "Korea Telecom": [4766],
    "Chinanet": [4134],
    "Airtel, wired": [24560],
    "Telstra": [1221],
    "Claro Brasil, wired": [28573],
    "Colombia: the name begins like colocation": [3816, 10620],
    "Cogent, Level 3, CenturyLink, Hurricane Electric: carriers": [174, 3356, 3561, 6939],
    "Google itself": [15169],
    "Google Fiber": [16591],
    "Cloudflare's other networks": [209242, 132892],
    "AFRIHOST: an access provider": [37611],
    "FIBERHOST: fibre in Poland": [39834],
    "Triolan: registered as Content Delivery Network": [13188],
    "The Cloud: wireless hot spots": [41012],
    "EchoStar, ExxonMobil": [18570, 1766],
    "Iliad on Reunion: registered as Scaleway": [202023],
}


def _flat(group: dict[str, list[int]]) -> list[tuple[str, int]]:
    return [(name, asn) for name, asns in group.items() for asn in asns]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (HOSTS, {"hosting"}),
        (HOSTS_OF_VPNS, {"hosting", "vpn"}),
        (RELAYS, {"relay"}),
        (MOBILES, {"mobile"}),
        (ORDINARY, set()),
    ],
    ids=["hosts", "hosts of VPNs", "relays", "mobile carriers", "ordinary"],
)
def test_well_known_networks_have_their_class(
    classes: dict[int, set[str]], group: dict[str, list[int]], expected: set[str]
) -> None:
    assert len(_flat(group)) >= 4
    found = {name: classes.get(asn) for name, asn in _flat(group) if classes.get(asn) != expected}
    assert found == {}


def test_networks_of_vpn_services_are_known(classes: dict[int, set[str]]) -> None:
    assert {name for name, asn in _flat(VPNS) if "vpn" not in classes[asn]} == set()


def test_a_relay_is_never_hosting_or_vpn(classes: dict[int, set[str]]) -> None:
    relays = [kinds for kinds in classes.values() if "relay" in kinds]
    assert len(relays) >= 4
    assert all(kinds == {"relay"} for kinds in relays)


def test_the_table_says_where_it_came_from(networks: PackedNetworks) -> None:
    feed = networks.feed
    assert (feed.name, feed.kind, feed.origin) == ("networks", "networks", "shipped")
    assert "@ip-location-db/dbip-country" in feed.source
    assert "@ip-location-db/asn" in feed.source
    assert feed.licence == "CC-BY-4.0"
    assert feed.date == "2026-06-01"
    assert feed.rows > 800_000


def test_most_addresses_have_an_operator(networks: PackedNetworks) -> None:
    dice = random.Random(3)
    addresses = [number(dice.getrandbits(32)) for _ in range(5_000)]
    addresses += [Address("", 6, dice.getrandbits(128), "", True) for _ in range(5_000)]
    found = [networks.find(address) for address in addresses]
    assert sum(row.asn is not None for row in found) > 2_500


# How the table is packed, and what is refused.


def test_a_packed_table_reads_back_as_it_was() -> None:
    packed = pack(SMALL)
    read = read_networks(packed, describe(packed, SMALL, [PACKAGE, OLDER]))
    assert read.find(at("8.8.7.255")) == Claims()
    assert read.find(at("8.8.8.0")) == Claims("US", 15169, "Google LLC")
    assert read.find(at("8.8.8.255")) == Claims("US", 15169, "Google LLC")
    assert read.find(at("8.8.9.0")) == Claims("US")
    found = read.find(at("2001:4860:ffff::1"))
    assert found == Claims("FR", 9009, "M247 Europe SRL", hosting=True, vpn=True)
    assert read.find(at("2001:4861::")) == Claims()
    assert read.feed.source == "npm example 1.0, npm older 1.1"
    assert (read.feed.date, read.feed.rows) == ("2025-12-31", 6)


def test_packing_does_not_depend_on_the_order_of_systems() -> None:
    turned = msgspec.structs.replace(
        SMALL,
        names=dict(reversed(SMALL.names.items())),
        classes=dict(reversed(SMALL.classes.items())),
    )
    assert pack(turned) == pack(SMALL)


def test_every_bit_of_a_class_is_read_back() -> None:
    for bits in range((HOSTING | VPN | RELAY | MOBILE) + 1):
        table = msgspec.structs.replace(SMALL, classes={15169: bits, 9009: 0})
        packed = pack(table)
        row = read_networks(packed, describe(packed, table, [PACKAGE])).find(at("8.8.8.8"))
        flags = (row.hosting, row.vpn, row.relay, row.mobile)
        assert flags == tuple(bool(bits & bit) for bit in (HOSTING, VPN, RELAY, MOBILE))


def test_a_table_that_differs_from_what_was_packed_is_not_proven() -> None:
    packed = pack(SMALL)
    description = describe(packed, SMALL, [PACKAGE])
    prove(packed, description, SMALL)
    other = msgspec.structs.replace(SMALL, names=SMALL.names | {9009: "Somebody else"})
    with pytest.raises(RuntimeError, match="wrong about"):
        prove(packed, description, other)


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_truncated_data_file_is_refused(kept: int) -> None:
    packed = pack(SMALL)
    with pytest.raises(PackedDataError, match="not the file"):
        read_networks(packed[:kept], describe(packed, SMALL, [PACKAGE]))


def test_a_data_file_with_a_changed_byte_is_refused() -> None:
    packed = pack(SMALL)
    for place in range(0, len(packed), 37):
        changed = bytearray(packed)
        changed[place] ^= 1
        with pytest.raises(PackedDataError, match="not the file"):
            read_networks(bytes(changed), describe(packed, SMALL, [PACKAGE]))


def test_a_truncated_data_file_with_a_fitting_digest_is_refused() -> None:
    cut = pack(SMALL)[:-20]
    with pytest.raises(PackedDataError, match="cannot be unpacked"):
        read_networks(cut, describe(cut, SMALL, [PACKAGE]))


def test_columns_that_are_too_short_or_too_long_are_refused(payload: bytes) -> None:
    for wrong in (payload[:-2], payload + b"\0\0"):
        with pytest.raises(PackedDataError, match="wrong length"):
            read_networks(*repacked(wrong))


def test_data_of_another_format_is_refused(payload: bytes) -> None:
    with pytest.raises(PackedDataError, match="does not open with"):
        read_networks(*repacked(b"GHNETS9\n" + payload[len(MAGIC) :]))


@pytest.mark.parametrize(
    ("good", "bad", "reason"),
    [
        (b'"FR"', b'"fr"', "malformed head"),
        (b'"v4":3', b'"v4":0', "malformed head"),
        (b'{"countries"', b'["countries"', "malformed head"),
        (b"Google", b"Goo\xffle", "malformed names"),
        (b"Google LLC", b"Google\nLLC", "names 3 systems of 2"),
    ],
)
def test_a_malformed_payload_is_refused(
    payload: bytes, good: bytes, bad: bytes, reason: str
) -> None:
    assert good in payload
    with pytest.raises(PackedDataError, match=reason):
        read_networks(*repacked(payload.replace(good, bad, 1)))


@pytest.mark.parametrize(
    "change", [{"rows": "many"}, {"rows": 0}, {"date": "yesterday"}, {"packages": []}, {"a": "b"}]
)
def test_a_malformed_description_is_refused(change: dict[str, object]) -> None:
    packed = pack(SMALL)
    description = json.loads(describe(packed, SMALL, [PACKAGE])) | change
    with pytest.raises(PackedDataError, match="malformed"):
        read_networks(packed, json.dumps(description).encode())


def test_a_missing_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatehouse.intel.networks.DATA_FILE", "nothing.bin.gz")
    with pytest.raises(PackedDataError, match="cannot be read"):
        load_networks()


# How ranges are made of the sources.


def test_gaps_between_ranges_belong_to_nobody() -> None:
    rows = [("5", "9", "A"), ("10", "11", "B"), ("20", "29", "A")]
    expected = [(0, None), (5, "A"), (10, "B"), (12, None), (20, "A"), (30, None)]
    assert list(steps(rows, 4)) == expected


def test_a_range_ends_where_the_next_one_starts() -> None:
    assert list(steps([("0", "9", "A"), ("5", "14", "B")], 4)) == [(0, "A"), (5, "B"), (15, None)]


def test_a_range_up_to_the_last_address_has_nothing_behind_it() -> None:
    assert list(steps([("0", str(2**32 - 1), "A")], 4)) == [(0, "A")]
    assert list(steps([("0", str(2**128 - 1), "A")], 6)) == [(0, "A")]


def test_rows_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="too late"):
        list(steps([("5", "9", "A"), ("0", "1", "B")], 4))


def test_ipv6_counts_by_its_upper_half_and_smaller_ranges_are_left_out() -> None:
    block = 2**64
    rows = [
        (str(3 * block), str(5 * block - 1), "A"),
        (str(6 * block), str(6 * block + 99), "B"),
        (str(7 * block + 1), str(9 * block - 1), "C"),
    ]
    assert list(steps(rows, 6)) == [(0, None), (3, "A"), (5, None), (8, "C"), (9, None)]


def test_countries_and_systems_are_merged_and_equal_neighbours_joined() -> None:
    countries = [(0, None), (10, "FR"), (20, "DE"), (30, None)]
    systems = [(0, None), (15, "7"), (18, "7"), (40, None)]
    assert merge(countries, systems) == [
        (0, (None, None)),
        (10, ("FR", None)),
        (15, ("FR", 7)),
        (20, ("DE", 7)),
        (30, (None, 7)),
        (40, (None, None)),
    ]


def test_a_country_without_a_system_can_be_forgotten() -> None:
    merged: Merged = [(0, (None, None)), (1, ("CH", None)), (2, ("FR", 7)), (3, ("CH", None))]
    assert without_unannounced(merged) == [(0, (None, None)), (2, ("FR", 7)), (3, (None, None))]


def _value_at(rows: list[tuple[int, int, str]], place: int) -> str | None:
    return next((value for first, last, value in rows if first <= place <= last), None)


@st.composite
def disjoint(draw: st.DrawFn) -> list[tuple[int, int, str]]:
    edges = sorted(draw(st.lists(st.integers(0, 60), unique=True, max_size=12)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return [(first, last, draw(st.sampled_from("123"))) for first, last in pairs]


@settings(deadline=None)
@given(countries=disjoint(), systems=disjoint(), place=st.integers(0, 70))
def test_merging_and_packing_lose_nothing_and_invent_nothing(
    countries: list[tuple[int, int, str]], systems: list[tuple[int, int, str]], place: int
) -> None:
    def as_text(rows: list[tuple[int, int, str]], letter: str) -> list[tuple[str, str, str]]:
        return [(str(first), str(last), letter + value) for first, last, value in rows]

    codes = {"1": "FR", "2": "DE", "3": "XK"}
    coded = [(first, last, codes[value]) for first, last, value in countries]
    merged = merge(steps(as_text(coded, ""), 4), steps(as_text(systems, ""), 4))
    names = {asn: f"System {asn}" for asn in (1, 2, 3)}
    table = Table(v4=merged, v6=SMALL.v6, names=names | SMALL.names, classes={
        1: 0, 2: HOSTING, 3: MOBILE, 9009: 0, 15169: 0})  # fmt: skip
    packed = pack(table)
    row = read_networks(packed, describe(packed, table, [PACKAGE])).find(number(place))
    system = _value_at(systems, place)
    assert row.country == _value_at(coded, place)
    assert row.asn == (int(system) if system else None)
    assert row.organisation == (f"System {system}" if system else None)
    assert (row.hosting, row.mobile) == (system == "2", system == "3")


# How classes are told.

RULES = """
[hosting]
words = ["host", "cloud"]
unless = ["broadband", "cloudflare"]
brands = ["hetzner", "broadband hosting"]
asns = [1]
never = [2]
[vpn]
names = ["vpn"]
[relay]
asns = [3]
[mobile]
names = ["mobile"]
"""


@pytest.mark.parametrize(
    ("asn", "name", "bits"),
    [
        (9, "Good HOSTING Ltd", HOSTING),
        (9, "Cloud Broadband Ltd", 0),
        (9, "Broadband Hosting BV", HOSTING),
        (9, "Cloudflare, Inc.", 0),
        (1, "Whoever", HOSTING),
        (2, "Hetzner Hosting", 0),
        (9, "Some VPN hosting", HOSTING | VPN),
        (3, "VPN host", 0),
        (3, "Mobile host", MOBILE),
        (9, "Ordinary Telecom", 0),
    ],
)
def test_a_class_is_told_by_name_and_number(asn: int, name: str, bits: int) -> None:
    found = class_of(read_rules(RULES), asn, name)
    assert found == (bits | RELAY if asn == 3 else bits)


def test_rules_for_unknown_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        read_rules(RULES + "[colour]\nasns = []\n")


def test_misspelt_rules_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="brand"):
        read_rules(RULES.replace("brands", "brand"))


@pytest.mark.parametrize(
    ("name", "tidied"),
    [
        ("  Two   words ", "Two words"),
        ("HOSTMY-AS-AP - HOSTMY (HK) LIMITED", "HOSTMY (HK) LIMITED"),
        ("AS64111 - INFORMATICA LIMITADA", "INFORMATICA LIMITADA"),
        ("Calmex Mobile - Calmex Mobile", "Calmex Mobile"),
        ("ETB - Colombia", "ETB - Colombia"),
        ("Vodafone Data - Egypt", "Vodafone Data - Egypt"),
    ],
)
def test_names_lose_what_registries_put_around_them(name: str, tidied: str) -> None:
    assert tidy(name) == tidied


def test_the_packages_are_pinned_and_dated() -> None:
    for package in (build_networks.COUNTRIES, build_networks.SYSTEMS):
        assert package.date.startswith("2026-06-")
        assert package.file_name.startswith("ip-location-db-")
        assert package.file_name.endswith(f"-{package.version}.tgz")
        assert len(package.sha256) == 64
