"""What may be on a list, and what is found there."""

import ipaddress
import random

import pytest

from gatehouse.conditions.catalogue import LIST_KINDS
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.rules.list_entries import ListEntry, ListKind, canonical
from gatehouse.rules.lists import AccountLists, ListIndex, covering_entries, membership


class PlainHasher:
    """Stands in for the fingerprinter of an installation; what it makes can be read."""

    def card(self, number: CardNumber | AccountReference) -> str:
        return f"fp of {number.masked()}"

    def known_card(self, text: str) -> str | None:
        return text if text == FINGERPRINT else None

    def hashed_email(self, mailbox: str) -> str:
        return f"mailbox {mailbox}"

    def hashed_phone(self, number: str) -> str:
        return f"phone {number}"

    def hashed(self, text: str) -> str:
        return f"hash of {len(text)}"

    def kept(self, value: str) -> str:
        return value if value.isalnum() else f"hash of {len(value)}"


HASHER = PlainHasher()
FINGERPRINT = "card1_" + "0f" * 24
HASH = "#" + "0f" * 10


def test_there_is_a_kind_of_list_for_all_that_conditions_look_up() -> None:
    assert {kind.value for kind in ListKind} == set(LIST_KINDS)


@pytest.mark.parametrize(
    ("kind", "text", "value", "shown"),
    [
        ("cards", "4242 4242-4242 4242", "fp of 42424242…4242", "42424242…4242"),
        ("cards", f" {FINGERPRINT} ", FINGERPRINT, FINGERPRINT),
        ("cards", "V0010013018036776997406844829", "fp of ***", "fp of ***"),
        ("bins", "4242", "4242", "4242"),
        ("bins", "42424242", "42424242", "42424242"),
        ("networks", "203.0.113.7", "203.0.113.7/32", "203.0.113.7"),
        ("networks", "203.0.113.7/32", "203.0.113.7/32", "203.0.113.7"),
        ("networks", "203.0.113.0/24", "203.0.113.0/24", "203.0.113.0/24"),
        ("networks", "2001:DB8:0:0::/32", "2001:db8::/32", "2001:db8::/32"),
        ("networks", "2001:db8::1", "2001:db8::1/128", "2001:db8::1"),
        ("networks", "::ffff:203.0.113.7", "203.0.113.7/32", "203.0.113.7"),
        ("networks", "::ffff:203.0.113.0/120", "203.0.113.0/24", "203.0.113.0/24"),
        ("emails", "A.Smith+shop@Gmail.com", "mailbox asmith@gmail.com", "a***@gmail.com"),
        ("emails", "ÿ@example.com", "mailbox ÿ@example.com", "***@example.com"),
        ("emails", HASH, HASH, HASH),
        ("domains", "Example.COM.", "example.com", "example.com"),
        ("domains", "@example.com", "example.com", "example.com"),
        ("domains", "bücher.example.org", "xn--bcher-kva.example.org", "xn--bcher-kva.example.org"),
        ("domains", ".xyz", "xyz", ".xyz"),
        ("phones", "+44 20 7946 0958", "phone +442079460958", "+44•••58"),
        ("phones", HASH, HASH, HASH),
        ("users", "u77", "u77", "u77"),
        ("users", "some body", "hash of 9", "hash of 9"),
        ("users", HASH, HASH, HASH),
        ("countries", "gb", "GB", "GB"),
        ("countries", "UK", "GB", "GB"),
        ("words", " Acme, Inc. ", "Acme, Inc.", "Acme, Inc."),
        ("words", "x" * 128, "x" * 128, "x" * 128),
        ("words", "write to a@example.com", "hash of 22", "hash of 22"),
        ("words", "4242424242424242", "hash of 16", "hash of 16"),
    ],
)
def test_an_entry_is_kept_as_signals_are_spelt(
    kind: str, text: str, value: str, shown: str
) -> None:
    assert canonical(ListKind(kind), text, HASHER) == ListEntry(value, shown)


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("cards", "4242424242424241", "whole card number"),
        ("cards", "fp1_123", "fingerprint"),
        ("bins", "424", "4 to 8 digits"),
        ("bins", "4242424242424242", "kind cards"),
        ("bins", "٤٢٤٢٤٢", "4 to 8 digits"),
        ("networks", "203.0.113.7/24", "write 203.0.113.0/24 for the network"),
        ("networks", "2001:db8::1/32", "write 2001:db8::/32"),
        ("networks", "203.0.113.0/33", "1 to 32"),
        ("networks", "203.0.113.0/", "1 to 32"),
        ("networks", "203.0.113.0/-1", "1 to 32"),
        ("networks", "0.0.0.0/0", "every address"),
        ("networks", "::/0", "every address"),
        ("networks", "::ffff:0:0/96", "every address"),
        ("networks", "203.0.113.0-203.0.113.9", "address or a network"),
        ("networks", "203.0.999", "address or a network"),
        ("networks", "fe80::1%eth0", "address or a network"),
        ("networks", "203.0.113.7\x00", "address or a network"),
        ("networks", "\ud800", "is empty"),
        ("networks", "a\ud800", "address or a network"),
        ("emails", "nobody", "name@example.com"),
        ("domains", "gmail", "top-level domain is written .example"),
        ("domains", "*.example.com", "every domain below"),
        ("domains", "a@example.com", "must be a domain"),
        ("domains", "ex ample.com", "must be a domain"),
        ("phones", "020 7946 0958", "with its country"),
        ("countries", "XX", "two letters"),
        ("countries", "GBR", "two letters"),
        ("words", "x" * 129, "128"),
        ("words", "a\x00b", "control"),
        ("words", "a\ud800b", "control"),
        ("words", "4242  4242  4242  4242", "card number"),
        ("users", "\u200b \u3164", "is empty"),
        ("words", "x" * 100_000, "longer than 512"),
    ],
)
def test_what_cannot_be_an_entry_is_refused_without_repeating_it(
    kind: str, text: str, says: str
) -> None:
    with pytest.raises(ValueError) as refused:
        canonical(ListKind(kind), text, HASHER)
    assert says in str(refused.value)
    assert "4242424242424242" not in str(refused.value)
    assert text not in str(refused.value)


@pytest.mark.parametrize("kind", ListKind)
def test_hostile_text_is_read_or_refused_on_every_kind_of_list(kind: ListKind) -> None:
    chance = random.Random(5)
    alphabet = ["\x00", "\ud800", "@", "/", ".", ":", "#", "-", "4", "é", "\U0001f600", " ", "a"]
    for _ in range(300):
        text = "".join(chance.choices(alphabet, k=chance.randrange(40)))
        try:
            entry = canonical(kind, text, HASHER)
        except ValueError:
            continue
        membership(kind, {entry.value: None})(text, 1)


def test_an_entry_counts_until_the_moment_it_expires() -> None:
    words = membership(ListKind.WORDS, {"for good": None, "for now": 1000})
    assert words("for good", 10**15)
    assert words("for now", 999)
    assert not words("for now", 1000)
    assert not words("never", 5)


def test_a_wide_network_counts_though_the_narrow_one_inside_has_expired() -> None:
    networks = membership(ListKind.NETWORKS, {"203.0.113.0/24": None, "203.0.113.7/32": 10})
    assert networks("203.0.113.7", 20)
    networks = membership(ListKind.NETWORKS, {"203.0.113.0/24": 10, "203.0.113.7/32": None})
    assert networks("203.0.113.7", 20)
    assert not networks("203.0.113.8", 20)


def test_addresses_are_found_in_networks_of_every_length() -> None:
    chance = random.Random(3)
    for bits, family in ((32, ipaddress.IPv4Address), (128, ipaddress.IPv6Address)):
        listed = []
        for _ in range(400):
            # Addresses close to each other, so that networks lie inside networks.
            length = chance.randrange(1, bits + 1)
            number = chance.getrandbits(bits) & ~(0x7F << (bits - 8))
            listed.append(ipaddress.ip_network((family(number), length), strict=False))
        entries = {str(network): None for network in listed}
        for some in (entries, dict(list(entries.items())[::40])):
            is_listed = membership(ListKind.NETWORKS, some)
            networks = [ipaddress.ip_network(text) for text in some]
            for _ in range(300):
                base = int(chance.choice(networks).network_address)
                address = family(base ^ (1 << chance.randrange(bits)))
                expected = any(address in network for network in networks)
                assert is_listed(str(address), 1) == expected


@pytest.mark.parametrize("value", ["", "words", "::ffff:x", "\x00", "\ud800", "1.2.3.4/8"])
def test_what_is_no_address_is_in_no_network(value: str) -> None:
    assert not membership(ListKind.NETWORKS, {"1.0.0.0/8": None})(value, 1)


def test_a_bin_is_found_by_all_its_prefixes() -> None:
    bins = membership(ListKind.BINS, {"4242": None, "51234567": None, "5512345": 10})
    assert bins("424242", 1)
    assert bins("51234567", 1)
    assert not bins("512345", 1)
    assert bins("55123456", 1)
    assert not bins("55123456", 10)


def test_a_domain_is_found_by_all_that_it_is_part_of() -> None:
    domains = membership(ListKind.DOMAINS, {"example.com": None, "xyz": None})
    assert domains("example.com", 1)
    assert domains("mail.shop.example.com", 1)
    assert not domains("badexample.com", 1)
    assert domains("anything.xyz", 1)
    assert not domains("com", 1)
    assert not domains("a." * 126, 1)


def test_an_index_gives_all_that_covers_a_value() -> None:
    index = ListIndex(ListKind.NETWORKS, {"203.0.113.0/24": "wide", "203.0.113.7/32": "narrow"})
    assert sorted(index.find("203.0.113.7")) == ["narrow", "wide"]
    assert list(ListIndex(ListKind.WORDS, {"a": 1}).find("b")) == []


def test_nothing_is_on_a_list_that_there_is_not() -> None:
    lists = AccountLists({"here": membership(ListKind.WORDS, {"a": None})})
    assert lists.has("here", "a", 1)
    assert not lists.has("there", "a", 1)


@pytest.mark.parametrize(
    ("kind", "entry", "value"),
    [
        ("bins", "4242", "42424242"),
        ("bins", "42424242", "42424242"),
        ("domains", ".example", "shop.mail.example"),
        ("domains", "mail.example", "mail.example"),
        ("networks", "203.0.113.7", "203.0.113.7"),
        ("networks", "203.0.0.0/8", "203.0.113.7"),
        ("networks", "2001:db8::/32", "2001:db8:1::7"),
        ("networks", "::ffff:203.0.113.0/120", "203.0.113.7"),
        ("users", "u1", "u1"),
        ("countries", "gb", "GB"),
    ],
)
def test_an_entry_that_covers_a_value_can_be_found_by_the_value(
    kind: ListKind, entry: str, value: str
) -> None:
    kept = canonical(ListKind(kind), entry, HASHER).value
    assert ListIndex(ListKind(kind), {kept: 1}).find(value)
    assert kept in covering_entries(ListKind(kind), value)
    assert len(covering_entries(ListKind(kind), value)) <= 128
