"""Reading addresses: the forms in which callers write them, and who can have them."""

import ipaddress
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatehouse.intel.addresses import Address, read_address

GOOGLE = Address("8.8.8.8", 4, 0x08080808, "8.8.8.0/24", is_public=True)

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Where we say no although some versions of the standard library say yes: nobody calls from there.
NOT_EVEN_GLOBAL: list[Network] = [
    ipaddress.ip_network("192.0.0.0/24"),  # anycast addresses of protocols
    ipaddress.ip_network("224.0.0.0/4"),  # multicast
    ipaddress.ip_network("2001::/23"),  # protocol assignments
    ipaddress.ip_network("3fff::/20"),  # documentation, since 2024
]
GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")


def read(text: str) -> Address:
    address = read_address(text)
    assert address is not None
    return address


def should_be_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if any(address in network for network in NOT_EVEN_GLOBAL):
        return False
    if address.version == 6 and address not in GLOBAL_UNICAST:
        return False
    return address.is_global


@pytest.mark.parametrize(
    "text",
    [
        "8.8.8.8",
        "  8.8.8.8\t\r\n",
        "8.8.8.8:443",
        "8.8.8.8:0",
        "8.8.8.8, 1.1.1.1",
        "10.0.0.1,8.8.8.8",
        "unknown, 127.0.0.1:80, , 8.8.8.8:65535, 1.1.1.1",
        "8.8.8.8,",
        "[8.8.8.8]",
        "[8.8.8.8]:80",
        '"8.8.8.8"',
        '"8.8.8.8:443"',
        "for=8.8.8.8",
        'For="8.8.8.8:47011";proto=https;by=10.0.0.1',
        "for=unknown, for=8.8.8.8;proto=http",
    ],
)
def test_an_address_is_read_in_the_forms_that_servers_and_proxies_write(text: str) -> None:
    assert read(text) == GOOGLE


@pytest.mark.parametrize(
    "text",
    [
        "2001:4860:4860::8888",
        "2001:4860:4860:0000:0000:0000:0000:8888",
        "2001:4860:4860:0:0:0:0:8888",
        " [2001:4860:4860::8888] ",
        "[2001:4860:4860::8888]:443",
        "2001:4860:4860::8888%eth0",
        "[2001:4860:4860::8888%br-lan.2]:443",
        "fe80::1, 2001:4860:4860::8888",
        'for="[2001:4860:4860::8888]:4711"',
    ],
)
def test_an_ipv6_address_is_read_in_its_forms(text: str) -> None:
    assert read(text.upper()) == Address(
        "2001:4860:4860::8888",
        6,
        0x2001_4860_4860_0000_0000_0000_0000_8888,
        "2001:4860:4860::/48",
        is_public=True,
    )


@pytest.mark.parametrize(
    ("text", "wrap"),
    [
        ("::ffff:8.8.8.8", "mapped"),
        ("::ffff:808:808", "mapped"),
        ("[::ffff:8.8.8.8]:443", "mapped"),
        ("2002:808:808::1", "6to4"),
        ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", "teredo"),
        ("64:ff9b::8.8.8.8", "nat64"),
    ],
)
def test_an_ipv4_address_is_taken_out_of_its_ipv6_wrap(text: str, wrap: str) -> None:
    assert read(text) == Address("8.8.8.8", 4, 0x08080808, "8.8.8.0/24", True, wrap)


@pytest.mark.parametrize(
    "text", ["::ffff:10.0.0.1", "2002:a00:1::1", "2001:0:1:2:3:4:f5ff:fffe", "64:ff9b::10.0.0.1"]
)
def test_a_wrapped_private_address_is_not_public(text: str) -> None:
    address = read(text)
    assert address.text == "10.0.0.1"
    assert not address.is_public


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-",
        "unknown",
        "localhost",
        "999.1.1.1",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "0x8.8.8.8",
        "134744072",
        "1.2.3.4/24",
        "1.2.3.4:",
        "1.2.3.4:http",
        "1.2.3.4:65536",
        "1.2.3.4:٤٤",
        "１.2.3.4",
        "1.2.3.4%eth0",
        "1.2.3.4\0",
        "1.2.3.4\ud800",
        "\ud800",
        "1.2.3.4 5",
        ":",
        ":::",
        "1::2::3",
        "12345::",
        "[",
        "[]",
        "[::1",
        "[::1]443",
        "[::1]:",
        "fe80::1%",
        "fe80::1%a b",
        "[::1]:443:80",
        ",",
        "unknown, -, ",
        '"8.8.8.8',
        "for=",
        "by=8.8.8.8",
        "[8.8.8.8",
        "[8.8.8.8]x",
    ],
)
def test_what_is_no_address_gives_nothing(text: str) -> None:
    assert read_address(text) is None


def test_a_list_without_a_public_address_gives_the_first_that_can_be_read() -> None:
    assert read("unknown, 192.168.7.1, 10.0.0.1").text == "192.168.7.1"


def test_only_ten_places_of_a_list_are_looked_at() -> None:
    assert read("10.0.0.1," * 9 + "8.8.8.8").text == "8.8.8.8"
    assert read("10.0.0.1," * 10 + "8.8.8.8").text == "10.0.0.1"


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.31.255.255",
        "192.0.2.1",
        "192.168.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::8.8.8.8",
        "64:ff9b:1::1",
        "100::1",
        "2001:db8::1",
        "3fff::1",
        "4000::1",
        "fc00::1",
        "fe80::1",
        "ff02::1",
    ],
)
def test_nobody_on_the_internet_has_a_special_address(text: str) -> None:
    assert not read(text).is_public


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "100.63.255.255", "100.128.0.0", "172.32.0.0", "223.255.255.255", "2a00::1"]
)
def test_anybody_can_have_an_ordinary_address(text: str) -> None:
    assert read(text).is_public


def _samples() -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """Both sides of every edge of the special ranges, and others at random."""
    dice = random.Random(7)
    v4 = "0/8 10/8 100.64/10 127/8 169.254/16 172.16/12 192.0.0/24 192.0.2/24 192.168/16 198.18/15"
    v4 += " 198.51.100/24 203.0.113/24 224/4 240/4 192.88.99/24 192.31.196/24 192.175.48/24"
    found: list[ipaddress.IPv4Address | ipaddress.IPv6Address] = []
    for text in v4.split():
        start, _, bits = text.partition("/")
        padded = ".".join((start + ".0.0.0").split(".")[:4])
        first = int(ipaddress.IPv4Address(padded))
        edges = (first, first + (1 << (32 - int(bits))))
        found += [ipaddress.IPv4Address(max(0, edge + step) % 2**32)
                  for edge in edges for step in (-1, 0, 1)]  # fmt: skip
    found += [ipaddress.IPv4Address(dice.getrandbits(32)) for _ in range(3000)]
    v6 = "::/64 100::/64 2000::/3 2001::/23 2001:db8::/32 3fff::/20 4000::/3 fc00::/7 fe80::/10"
    for text in [*v6.split(), "ff00::/8"]:
        network = ipaddress.IPv6Network(text)
        ends = (int(network.network_address), int(network.broadcast_address) + 1)
        found += [ipaddress.IPv6Address(max(0, edge + step) % 2**128)
                  for edge in ends for step in (-1, 0, 1)]  # fmt: skip
    found += [ipaddress.IPv6Address(dice.getrandbits(128)) for _ in range(500)]
    found += [ipaddress.IPv6Address((1 << 125) + dice.getrandbits(125)) for _ in range(1000)]
    return found


def test_special_ranges_agree_with_the_standard_library() -> None:
    wrong = [
        str(sample)
        for sample in _samples()
        if not (address := read(str(sample))).wrapped
        and address.is_public != should_be_public(sample)
    ]
    assert wrong == []


@given(number=st.integers(0, 2**32 - 1))
def test_every_ipv4_address_reads_as_itself(number: int) -> None:
    expected = ipaddress.IPv4Address(number)
    address = read(str(expected))
    assert (address.text, address.version, address.value) == (str(expected), 4, number)
    assert expected in ipaddress.IPv4Network(address.network)
    assert address.network.endswith(".0/24")


@given(number=st.integers(0, 2**128 - 1) | st.integers(2**125, 2**126 - 1))
def test_every_ipv6_address_reads_as_itself_or_as_what_it_wraps(number: int) -> None:
    expected = ipaddress.IPv6Address(number)
    address = read(expected.exploded)
    if address.wrapped:
        inside = [expected.ipv4_mapped, expected.sixtofour, (expected.teredo or [None, None])[1]]
        assert address.value in {number % 2**32} | {int(each) for each in inside if each}
    else:
        assert (address.version, address.value) == (6, number)
        assert ipaddress.IPv6Address(address.text) == expected
        assert expected in ipaddress.IPv6Network(address.network)
        assert address.network.endswith("/48")


anything = st.text(
    alphabet=st.characters(categories=None), max_size=80
)  # also half surrogate pairs
almost = st.text(alphabet="0123456789abcdefF:.,[]%/- \0\ud800", max_size=60)


@given(text=anything | almost)
@example(text="[" * 200)
@example(text="1" * 200)
def test_no_text_makes_the_reader_fail(text: str) -> None:
    address = read_address(text)
    assert address is None or read_address(address.text) == Address(
        address.text, address.version, address.value, address.network, address.is_public
    )


@pytest.mark.parametrize(
    "text",
    [
        " " * 65_536,
        "," * 65_536,
        "1.2.3.4," * 9_000,
        ":" * 65_536,
        "[" + "%" * 65_536,
        "\0" * 65_536,
    ],
)
def test_text_of_any_length_is_taken(text: str) -> None:
    read_address(text)
